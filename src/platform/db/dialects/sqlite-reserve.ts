/**
 * A file beside the database that keeps room on the disk. It is given up when the disk is full, so that sign-ins,
 * deletions and counts of clicks are still written. Until it is there again, statements that add links or files are
 * refused. All processes of the machine see its state: an incomplete file was given up.
 */
import { randomBytes } from "node:crypto";
import { statSync, truncateSync } from "node:fs";
import { statfs, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseError } from "../failures.ts";
import type { LaneConnection } from "./sqlite-lanes.ts";

const RESERVE_BYTES = 12 * 1024 * 1024;
/** What remains is for the journal of the database. */
const CLAIMED_BYTES = 4 * 1024 * 1024;
const ADDS = /^(insert into "(links|entries|blobs|uploads)"|update "links")/;

/** Takes the room for the database and its journal before other programs do. */
const CLAIM = [
  "rollback",
  "create table if not exists reserve (bytes)",
  `insert into reserve values (zeroblob(${CLAIMED_BYTES}))`,
  "drop table reserve",
  "pragma wal_checkpoint",
];

export type Reserve = ReturnType<typeof createReserve>;

export function createReserve(path: string, isFull: (error: unknown) => boolean) {
  const file = `${path}-reserve`;
  const size = () => statSync(file, { throwIfNoEntry: false })?.size;

  /** Does nothing without room on the disk. Never rejects. */
  async function make(): Promise<void> {
    if (size() === RESERVE_BYTES) return;
    try {
      const { bavail, bsize } = await statfs(dirname(path));
      // Not compressible, so that it takes this room on every file system.
      if (bavail * bsize > 2 * RESERVE_BYTES)
        await writeFile(file, randomBytes(RESERVE_BYTES), { mode: 0o600 });
    } catch {
      giveUp();
    }
  }

  function giveUp(): boolean {
    try {
      const isThere = (size() ?? 0) > 0;
      if (isThere) truncateSync(file);
      return isThere;
    } catch {
      return false;
    }
  }

  /** Whether the error was a full disk, and the reserve has just been given up. */
  const relieves = (error: unknown) => isFull(error) && giveUp();

  const hasRoom = () => (size() ?? RESERVE_BYTES) >= RESERVE_BYTES;

  return {
    make,
    relieves,
    /** False after the reserve was given up. */
    hasRoom,
    /** The connection fails with "retry" after a full disk that the reserve has relieved. */
    guard: (connection: LaneConnection): LaneConnection => ({
      ...connection,
      async execute(text, parameters, timeoutMs) {
        if (ADDS.test(text) && !hasRoom()) {
          await make();
          if (size() !== RESERVE_BYTES) throw new DatabaseError("full", null);
        }
        try {
          return await connection.execute(text, parameters, timeoutMs);
        } catch (error) {
          // A copy for a backup may be too large for the disk without filling it.
          if (text.startsWith("vacuum") || !relieves(error)) throw error;
          for (const claim of CLAIM) await connection.execute(claim, [], timeoutMs).catch(() => {});
          throw new DatabaseError("retry", error);
        }
      },
    }),
  };
}
