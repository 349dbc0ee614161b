/** Entries dragged within the panel, and files dragged from the desktop. */
import { type DragEvent, useState } from "react";
import type { Entry } from "../file-queries.ts";

const TYPE = "application/x-waymark-entries";

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

export type DropHandlers = {
  /** Entries of the panel. */
  onEntries(entries: readonly Entry[]): void;
  /** From the desktop. */
  onFiles?(transfer: DataTransfer): void;
};

/** For the folder with this id, null for the root. A folder accepts neither itself nor its own entries. */
export function useDropInto(folder: number | null, { onEntries, onFiles }: DropHandlers) {
  const [isOver, setIsOver] = useState(false);
  const fits = (): readonly Entry[] => {
    if (dragged.some(({ kind, id }) => kind === "folder" && id === folder)) return [];
    return dragged.filter(({ folder_id }) => folder_id !== folder);
  };
  const takes = (event: DragEvent): boolean =>
    isEntryDrag(event) ? fits().length > 0 : onFiles !== undefined && isDesktopDrag(event);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!takes(event)) return;
        event.preventDefault();
        event.stopPropagation();
        event.dataTransfer.dropEffect = isEntryDrag(event) ? "move" : "copy";
        setIsOver(true);
      },
      onDragLeave: () => setIsOver(false),
      onDrop(event: DragEvent) {
        setIsOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        event.stopPropagation();
        if (isEntryDrag(event)) onEntries(fits());
        else onFiles?.(event.dataTransfer);
      },
    },
  };
}
