/**
 * The content of a file. The server sends only types that can't run anything, checked by their first bytes where
 * needed, under a policy that allows nothing. A text is shown as text.
 */
import { Trans, useLingui } from "@lingui/react/macro";
import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { File as StoredFile } from "../../base/api.ts";
import { formatBytes } from "../../base/i18n.ts";
import { KindIcon } from "../kind-icon.tsx";
import classes from "./preview.module.css";
import { PdfPreview } from "./pdf-preview.tsx";
import { previewAddress, TEXT_PREVIEW_BYTES, textQuery } from "./preview-queries.ts";

/** Chromium shows no PDF in a sandboxed frame; there the server's viewer draws it, whole in memory. */
const FRAMES_PDF = !/Chrom(?:e|ium)\//.test(navigator.userAgent);
const LARGEST_DRAWN = 64 * 1024 * 1024;

export function FilePreview({ file }: { file: StoredFile }) {
  const { t } = useLingui();
  const [isBroken, setIsBroken] = useState(false);
  const [isLoaded, setIsLoaded] = useState(false);
  const src = previewAddress(file.id);
  const label = t`Preview of ${file.name}`;
  const [kind] = file.mime_type.split("/");
  const onError = () => setIsBroken(true);
  if (isBroken) return <NoPreview file={file} />;
  if (kind === "image") {
    return (
      <Frame>
        {!isLoaded && <Skeleton className={classes["waits"] ?? ""} />}
        <img
          src={src}
          alt={label}
          decoding="async"
          className={classes["picture"]}
          onLoad={() => setIsLoaded(true)}
          onError={onError}
        />
      </Frame>
    );
  }
  if (kind === "video") {
    return (
      <Frame>
        <video src={src} aria-label={label} controls preload="metadata" playsInline onError={onError} />
      </Frame>
    );
  }
  if (kind === "audio") {
    return (
      <Frame>
        <audio src={src} aria-label={label} controls preload="metadata" onError={onError} />
      </Frame>
    );
  }
  if (file.mime_type === "application/pdf") {
    if (!FRAMES_PDF) {
      return file.size > LARGEST_DRAWN ? (
        <NoPreview file={file} />
      ) : (
        <Frame>
          <PdfPreview id={file.id} label={label} onError={onError} />
        </Frame>
      );
    }
    return (
      <Frame>
        <iframe src={src} title={label} sandbox="" className={classes["pages"]} />
      </Frame>
    );
  }
  return <TextPreview file={file} label={label} />;
}

function TextPreview({ file, label }: { file: StoredFile; label: string }) {
  const { data, isPending } = useQuery(textQuery(file.id));
  if (isPending) {
    return (
      <Frame>
        <Skeleton h="100%" />
      </Frame>
    );
  }
  if (data === undefined || data === null) return <NoPreview file={file} />;
  return (
    <>
      <pre className={classes["text"]} tabIndex={0} aria-label={label} role="region" dir="auto">
        {data}
      </pre>
      {file.size > TEXT_PREVIEW_BYTES && (
        <Text size="xs" c="dimmed" mt={4}>
          <Trans>This is the beginning, {formatBytes(TEXT_PREVIEW_BYTES)}.</Trans>
        </Text>
      )}
    </>
  );
}

const Frame = ({ children }: { children: ReactNode }) => <div className={classes["frame"]}>{children}</div>;

function NoPreview({ file }: { file: StoredFile }) {
  return (
    <Frame>
      <div className={classes["none"]}>
        <KindIcon entry={{ kind: "file", mime_type: file.mime_type }} size={48} />
        <Text c="dimmed" size="sm" maw={360} ta="center">
          <Trans>There is no preview of this file.</Trans>
        </Text>
      </div>
    </Frame>
  );
}
