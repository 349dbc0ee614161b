/** Text, pictures and files that are pasted into Files become uploads, when one says so. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useEffectEvent } from "react";
import { hasTargets, targetIn } from "../../base/targets.ts";
import { showActions } from "../../ui/notices/action-notice.tsx";
import { isTyping } from "../../ui/is-typing.ts";

const MOST_CHARACTERS = 10_000_000;
const MOST_FILES = 1_000;
/** Browsers call a copied picture so. */
const UNNAMED = /^image\.\w{1,5}$/;

/** Such as `2026-11-26 08.15`, in the zone of the browser. */
const minute = (): string => new Date().toLocaleString("sv").slice(0, 16).replace(":", ".");

/** @param upload null: nothing may be uploaded here */
export function usePastedFiles(upload: ((files: File[]) => void) | null): void {
  const { t } = useLingui();
  const take = useEffectEvent((event: ClipboardEvent) => {
    if (upload === null || event.defaultPrevented || isTyping(event.target) || event.clipboardData === null)
      return;
    const time = minute();
    const files = [...event.clipboardData.files].slice(0, MOST_FILES).map((file) => {
      const ending = file.name.slice(file.name.lastIndexOf("."));
      const name = t`Pasted picture ${time}`;
      return UNNAMED.test(file.name) ? new File([file], name + ending, { type: file.type }) : file;
    });
    const text = files.length > 0 ? "" : event.clipboardData.getData("text/plain").slice(0, MOST_CHARACTERS);
    // A URL becomes a link, as everywhere.
    if (text !== "" && !hasTargets(text) && targetIn(text) === null) {
      files.push(new File([text], `${t`Pasted text ${time}`}.txt`, { type: "text/plain" }));
    }
    const [first] = files;
    if (first === undefined) return;
    event.preventDefault();
    const id = showActions(
      files.length === 1 ? (
        <bdi>{first.name}</bdi>
      ) : (
        <Plural value={files.length} one="# file" other="# files" />
      ),
      <Button
        size="compact-xs"
        variant="light"
        autoFocus
        onClick={() => {
          notifications.hide(id);
          upload(files);
        }}
      >
        <Trans>Upload</Trans>
      </Button>,
    );
  });
  useEffect(() => {
    document.addEventListener("paste", take);
    return () => document.removeEventListener("paste", take);
  }, []);
}
