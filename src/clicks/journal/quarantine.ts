import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { quarantineOf } from "./disposal.ts";
import { FIRST_RECORD } from "./format.ts";
import { createBatch, openSegmentReader } from "./reader.ts";

/** Segments that were set aside. `unreadable` files are none, or of another version. */
export type Quarantine = { dir: string; files: number; clicks: number; unreadable: number };

const BATCH = 65_536;

export function readQuarantine(journalDir: string): Quarantine {
  const dir = quarantineOf(journalDir);
  const found: Quarantine = { dir, files: 0, clicks: 0, unreadable: 0 };
  const batch = createBatch(BATCH);
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const reader = openSegmentReader(join(dir, name));
    found.files++;
    if (reader === null) {
      found.unreadable++;
      continue;
    }
    let position = FIRST_RECORD;
    do {
      ({ position } = reader.read(batch, position, true));
      found.clicks += batch.count;
    } while (batch.isFull);
    reader.close();
  }
  return found;
}
