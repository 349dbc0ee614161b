/** The uploads of this tab, for the pages that show them. */
import { useSyncExternalStore } from "react";
import { createRate } from "./upload-rate.ts";
import { isMoving, type UploadItem } from "./upload-record.ts";

/** Many small files must not repaint at every step. */
const PAINT_MS = 100;

const items = new Map<string, UploadItem>();
let shown: readonly UploadItem[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
export const uploadRate = createRate();

function paint(): void {
  timer = undefined;
  shown = [...items.values()];
  for (const listener of listeners) listener();
}

function changed(): void {
  timer ??= setTimeout(paint, PAINT_MS);
}

export const itemOf = (id: string): UploadItem | undefined => items.get(id);
export const allItems = (): readonly UploadItem[] => [...items.values()];

export function setItem(item: UploadItem): void {
  items.set(item.record.id, item);
  changed();
}

/** No effect if it is gone. */
export function changeItem(id: string, next: Partial<UploadItem>): void {
  const item = items.get(id);
  if (item === undefined) return;
  items.set(id, { ...item, ...next });
  changed();
}

export function dropItems(ids: readonly string[]): void {
  for (const id of ids) items.delete(id);
  changed();
}

export const useUploadItems = (): readonly UploadItem[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );

/** Leaving would interrupt them. */
addEventListener("beforeunload", (event) => {
  if (allItems().some(isMoving)) event.preventDefault();
});
