/** Waiting clicks in the journals of a data folder. Needs no lock. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { readBooksSnapshot, type BooksSnapshot } from "./books.ts";
import type { ClicksRepository } from "./flush/repository.ts";
import { FIRST_RECORD } from "./journal/format.ts";
import { createBatch, openSegmentReader } from "./journal/reader.ts";
import { listSegments } from "./journal/segment.ts";
import { listSlots, tryTakeSlot } from "./journal/slot.ts";

type SlotPending = {
  slot: string;
  /** A dead process's left-overs are counted at the next start. */
  isOwned: boolean;
  /** Uncounted clicks, and those with details. */
  clicks: number;
  details: number;
  /** Those of the owner, since its start. */
  books: BooksSnapshot | null;
};

const BATCH = 65_536;

/** One entry per slot with an owner or left-overs. Omits clicks of other databases. */
export async function readPending(
  journalDir: string,
  repository: Pick<ClicksRepository, "instance" | "readPosition">,
): Promise<SlotPending[]> {
  if (!existsSync(journalDir)) return [];
  const instance = await repository.instance();
  const batch = createBatch(BATCH);
  const found: SlotPending[] = [];
  for (const dir of listSlots(journalDir)) {
    const lock = tryTakeSlot(dir)?.lock;
    const slot: SlotPending = {
      slot: basename(dir),
      isOwned: lock === undefined,
      clicks: 0,
      details: 0,
      books: null,
    };
    lock?.release();
    if (slot.isOwned) slot.books = readBooksSnapshot(dir);
    for (const path of listSegments(dir)) {
      const reader = openIfThere(path);
      if (reader === null) continue;
      if (reader.header.instance === instance) {
        let position = (await repository.readPosition(reader.header.uuid)) ?? FIRST_RECORD;
        do {
          ({ position } = reader.read(batch, position, !slot.isOwned));
          slot.clicks += batch.count;
          slot.details += batch.detailed;
        } while (batch.isFull);
      }
      reader.close();
    }
    if (slot.isOwned || slot.clicks > 0) found.push(slot);
  }
  return found;
}

/** A segment may go meanwhile. */
function openIfThere(path: string) {
  try {
    return openSegmentReader(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
