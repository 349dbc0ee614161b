/** Entries dragged within the panel, and files dragged from the desktop. */
import { type DragEvent, useEffect, useState } from "react";
import { randomName } from "../../base/random-name.ts";
import type { Entry, Step } from "../file-queries.ts";

/** Of this tab: what another one drags is not known here. Browsers write types in lower case. */
const TYPE = `application/x-waymark-entries-${randomName().toLowerCase()}`;

let dragged: readonly Entry[] = [];

export function startDrag(event: DragEvent, entries: readonly Entry[]): void {
  dragged = entries;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData(TYPE, String(entries.length));
  if (entries.length === 1) return;
  const picture = document.createElement("div");
  picture.textContent = String(entries.length);
  picture.style.cssText =
    "position:fixed;top:-99px;padding:4px 12px;border-radius:8px;background:var(--mantine-primary-color-filled);color:#fff;font-weight:600";
  document.body.append(picture);
  event.dataTransfer.setDragImage(picture, 0, 0);
  setTimeout(() => picture.remove());
}

export const isEntryDrag = (event: DragEvent): boolean => event.dataTransfer.types.includes(TYPE);
export const isDesktopDrag = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");
/** Not only to an element inside. */
export const hasLeft = ({ currentTarget, relatedTarget }: DragEvent): boolean =>
  !currentTarget.contains(relatedTarget as Node | null);

export type DropHandlers = {
  /** Entries of the panel. */
  onEntries(entries: readonly Entry[]): void;
  /** From the desktop. */
  onFiles?(transfer: DataTransfer): void;
};

type Target = {
  /** Null is the root. */
  id: number | null;
  /** The folders above it, as far as they are known. */
  above?: readonly Step[] | undefined;
};

/** A folder accepts neither itself nor a folder above it nor its own entries. Sets `defaultPrevented` if it accepts. */
export function useDropInto({ id, above = [] }: Target, { onEntries, onFiles }: DropHandlers) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!isOver) return;
    // Escape ends a drag without a leave event.
    const end = () => setIsOver(false);
    document.addEventListener("dragend", end);
    return () => document.removeEventListener("dragend", end);
  }, [isOver]);
  const fits = (): readonly Entry[] => {
    const inside = new Set([id, ...above.map((step) => step.id)]);
    if (dragged.some((entry) => entry.kind === "folder" && inside.has(entry.id))) return [];
    return dragged.filter(({ folder_id }) => folder_id !== id);
  };
  const takes = (event: DragEvent): boolean =>
    isEntryDrag(event) ? fits().length > 0 : onFiles !== undefined && isDesktopDrag(event);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!takes(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = isEntryDrag(event) ? "move" : "copy";
        setIsOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (hasLeft(event)) setIsOver(false);
      },
      onDrop(event: DragEvent) {
        setIsOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        if (isEntryDrag(event)) onEntries(fits());
        else onFiles?.(event.dataTransfer);
      },
    },
  };
}
