import { isMoving, type UploadItem } from "./upload-record.ts";
import { MOST_KEPT_BYTES } from "./upload-store.ts";

const MOST_SHOWN = 50;
/** Uploads that need attention come first. */
const RANK = { failed: 0, again: 1, asks: 1, running: 2, waiting: 2, paused: 3, queued: 4, done: 5 } as const;

export function totalsOf(items: readonly UploadItem[]) {
  const count = (...states: UploadItem["state"][]) =>
    items.filter(({ state }) => states.includes(state)).length;
  const open = items.filter(({ state }) => state !== "failed");
  return {
    moving: items.filter(isMoving).length,
    done: count("done"),
    failed: count("failed"),
    left: count("again", "asks", "paused"),
    again: count("again"),
    /** A reload would lose their bytes. */
    isUnkept: items.some(
      (item) => isMoving(item) && item.record.size > MOST_KEPT_BYTES && item.record.source === null,
    ),
    size: open.reduce((sum, { record }) => sum + record.size, 0),
    sent: open.reduce((sum, { sent }) => sum + sent, 0),
  };
}

/** In their order if they are few. */
export function shownItems(items: readonly UploadItem[]): readonly UploadItem[] {
  if (items.length <= MOST_SHOWN) return items;
  return items.toSorted((a, b) => RANK[a.state] - RANK[b.state]).slice(0, MOST_SHOWN);
}
