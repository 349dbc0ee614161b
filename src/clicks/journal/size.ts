import { existsSync, statSync } from "node:fs";
import { listSlots } from "./slot.ts";
import { listSegments } from "./segment.ts";

/** Of all processes on this data folder. */
export function journalBytes(journalDir: string): number {
  if (!existsSync(journalDir)) return 0;
  let bytes = 0;
  for (const slot of listSlots(journalDir)) {
    // A segment may go meanwhile.
    for (const path of listSegments(slot)) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
