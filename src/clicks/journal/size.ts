import { existsSync, statSync } from "node:fs";
import { listSlots } from "./slot.ts";
import { listSegments } from "./segment.ts";

/** Bytes that the journals of all processes on this data folder take, counted or not. */
export function journalBytes(journalDir: string): number {
  if (!existsSync(journalDir)) return 0;
  let bytes = 0;
  for (const slot of listSlots(journalDir)) {
    // A segment may go while the folder is read.
    for (const path of listSegments(slot)) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
