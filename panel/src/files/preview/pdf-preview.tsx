import { useLingui } from "@lingui/react/macro";
import { Skeleton } from "@mantine/core";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { SERVER_URL } from "../../base/place.ts";
import classes from "./preview.module.css";
import { pdfBytes } from "./preview-queries.ts";

/** The loaded viewer starts, and draws the first page, within these times. */
const START_MS = 5_000;
const DRAW_MS = 60_000;
const VIEWER = `${SERVER_URL}/files/preview/pdf-viewer`;

type Props = { id: number; label: string; onError(): void };

/** Draws a PDF in a frame without origin and network, so that nothing in it can run or fetch. */
export function PdfPreview({ id, label, onError }: Props) {
  const { t, i18n } = useLingui();
  const frame = useRef<HTMLIFrameElement>(null);
  const [bytes, setBytes] = useState<ArrayBuffer | null>(null);
  const [isShown, setIsShown] = useState(false);
  // The viewer puts the numbers in.
  const [n, total, count] = ["{n}", "{total}", "{count}"];
  const words = {
    page: t`Page ${n} of ${total}`,
    more: t`Only the first ${count} pages are shown. Download the file to read all.`,
    language: i18n.locale,
  };
  const fail = useEffectEvent(onError);
  const give = useEffectEvent((to: HTMLIFrameElement, given: ArrayBuffer) =>
    to.contentWindow?.postMessage({ bytes: given, ...words }, "*", [given]),
  );

  useEffect(() => {
    const stop = new AbortController();
    pdfBytes(id, stop.signal).then(
      (read) => (read === null ? fail() : setBytes(read)),
      () => stop.signal.aborted || fail(),
    );
    return () => stop.abort();
  }, [id]);

  useEffect(() => {
    if (bytes === null) return;
    const shown = frame.current!;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGiven = false;
    function wait(ms: number): void {
      clearTimeout(timer);
      timer = setTimeout(fail, ms);
    }
    const loaded = (): void => {
      if (!isGiven) wait(START_MS);
    };
    function hear({ source, data }: MessageEvent): void {
      if (source !== shown.contentWindow) return;
      if (data === "failed") fail();
      if (data === "shown") {
        clearTimeout(timer);
        setIsShown(true);
      }
      if (data !== "ready" || isGiven) return;
      isGiven = true;
      wait(DRAW_MS);
      give(shown, bytes!);
    }
    addEventListener("message", hear);
    shown.addEventListener("load", loaded);
    shown.src = VIEWER;
    return () => {
      clearTimeout(timer);
      removeEventListener("message", hear);
      shown.removeEventListener("load", loaded);
    };
  }, [bytes]);

  return (
    <>
      {bytes !== null && (
        <iframe ref={frame} title={label} sandbox="allow-scripts" className={classes["pages"]} />
      )}
      {!isShown && <Skeleton className={classes["waits"] ?? ""} />}
    </>
  );
}
