/**
 * The books of a running process (ClickStats), written beside its journal once a second while they change, for `waymark
 * status`.
 */
import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { ClickStats } from "./books.ts";
import { BOOKS_SNAPSHOT_NAME } from "./journal/slot.ts";

const count = z.int().nonnegative();
const drops = z.record(z.string(), count);
const BOOKS = z.object({
  pid: count,
  written_at: z.iso.datetime(),
  accepted: count,
  replayed: count,
  stored: count,
  pending: count,
  dropped: drops,
  automated: z.object({ accepted: count, stored: count, pending: count, dropped: count }),
  details: z.object({ recorded: count, logged: count, pending: count, dropped: drops }),
});

export type BooksSnapshot = z.infer<typeof BOOKS>;

type Options = { dir: string; stats(): ClickStats; clock: Clock; onError(error: unknown): void };

export function createBooksSnapshotWriter({ dir, stats, clock, onError }: Options) {
  const path = join(dir, BOOKS_SNAPSHOT_NAME);
  const unfinished = `${path}.tmp`;
  let last = "";
  let busy: Promise<void> | null = null;

  const write = async (books: string): Promise<void> => {
    const text = `{"pid":${process.pid},"written_at":"${new Date(clock.now()).toISOString()}",${books.slice(1)}\n`;
    await writeFile(unfinished, text, { mode: 0o600 });
    await rename(unfinished, path);
    last = books;
  };

  return {
    /** Writes changes since the last call. Never rejects. */
    async update(): Promise<void> {
      const { accepted, replayed, stored, pending, dropped, automated, details } = stats();
      const books = JSON.stringify({ accepted, replayed, stored, pending, dropped, automated, details });
      if (books === last || busy !== null) return;
      busy = write(books).catch(onError);
      await busy;
      busy = null;
    },
    async remove(): Promise<void> {
      await busy;
      await Promise.all([path, unfinished].map((name) => rm(name, { force: true }))).catch(onError);
    },
  };
}

/** Null if there is no readable one. */
export function readBooksSnapshot(slotDir: string): BooksSnapshot | null {
  try {
    return BOOKS.parse(JSON.parse(readFileSync(join(slotDir, BOOKS_SNAPSHOT_NAME), "utf8")));
  } catch {
    return null;
  }
}
