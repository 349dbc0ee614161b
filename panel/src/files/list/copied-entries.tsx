/** Files and folders in the clipboard: copied in a list, pasted in another folder of the same tree. */
import { Plural } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { type RefObject, useEffect, useEffectEvent } from "react";
import { isTyping } from "../../ui/is-typing.ts";
import { type Entry, UNKNOWN_DETAILS } from "../file-queries.ts";
import type { EntrySelection } from "./selection.ts";

const TYPE = "application/x-waymark-entries";
/** Each is a request when they are pasted. */
const MOST = 1_000;

/** While the list has the focus. What lies on the server is copied there. */
export function useCopiedEntries(
  grid: RefObject<HTMLElement | null>,
  entries: readonly Entry[],
  { selected, activeAt }: EntrySelection,
): void {
  const copy = useEffectEvent((event: ClipboardEvent) => {
    const active = entries[activeAt];
    const chosen = active === undefined || selected.length > 0 ? selected : [active];
    const isHere = grid.current?.contains(document.activeElement) === true;
    const isText = isTyping(document.activeElement) || document.getSelection()?.isCollapsed === false;
    if (!isHere || isText || chosen.length === 0 || chosen.length > MOST) return;
    if (event.clipboardData === null || chosen.some(({ is_linked }) => is_linked)) return;
    event.preventDefault();
    const copied = chosen.map(({ kind, id, name }) => ({ kind, id, name }));
    event.clipboardData.setData(TYPE, JSON.stringify(copied));
    event.clipboardData.setData("text/plain", copied.map(({ name }) => name).join("\n"));
    notifications.show({
      message: (
        <Plural
          value={copied.length}
          one="# entry copied. Open a folder and paste it."
          other="# entries copied. Open a folder and paste them."
        />
      ),
    });
  });
  useEffect(() => {
    document.addEventListener("copy", copy);
    return () => document.removeEventListener("copy", copy);
  }, []);
}

/** @param paste null: nothing may be added here */
export function usePastedEntries(paste: ((entries: Entry[]) => void) | null): void {
  const take = useEffectEvent((event: ClipboardEvent) => {
    const copied = readCopied(event.clipboardData?.getData(TYPE));
    if (paste === null || copied.length === 0 || isTyping(event.target)) return;
    // Their names are no text to upload, and no URL to shorten.
    event.preventDefault();
    paste(copied);
  });
  useEffect(() => {
    document.addEventListener("paste", take, true);
    return () => document.removeEventListener("paste", take, true);
  }, []);
}

/** Another page may have written it. */
function readCopied(text = ""): Entry[] {
  try {
    const given: unknown = JSON.parse(text);
    return Array.isArray(given) ? given.slice(0, MOST).flatMap(entryOf) : [];
  } catch {
    return [];
  }
}

function entryOf(one: unknown): Entry[] {
  const { kind, id, name } = (one ?? {}) as Partial<Record<"kind" | "id" | "name", unknown>>;
  if (kind !== "file" && kind !== "folder") return [];
  if (typeof id !== "number" || !Number.isSafeInteger(id) || typeof name !== "string") return [];
  return [{ ...UNKNOWN_DETAILS, kind, id, name }];
}
