/**
 * Leases for the work of one request, which others may go on with as soon as the process at it has died.
 *
 * By itself a killed process's lease keeps others away until its time is up. So that they need not wait, each process
 * has a file, `processes/<its number>`, in the data folder, locked until the process ends, however it ends. An owner's
 * name begins with the number. Who starts, and who finds a lease taken, looks through the folder: what can be locked
 * belongs to a dead process, whose leases are freed and whose file is removed. A process on another machine, with a
 * data folder of its own, is not seen there; its leases run out. Nobody frees what a living process holds.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { dataPath } from "../lib/data-folder.ts";
import { type FileLock, tryFileLock } from "../lib/file-lock.ts";
import type { Logger } from "../lib/logger.ts";
import { createLeaseRepository } from "./lease.repository.ts";
import { createLeases, type Leases } from "./leases.ts";

export type ProcessLeases = Leases & {
  /** To be called when nothing is held any more. */
  close(): void;
};

type Deps = {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Shared by the processes of a machine. Null for a command, which nobody tells from its kind. */
  dataDir: string | null;
};

const FREED_AT_ONCE = 1_000;
const NUMBER = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export async function openProcessLeases({ database, clock, logger, dataDir }: Deps): Promise<ProcessLeases> {
  const rows = createLeaseRepository({ database, clock });
  const folder = dataDir === null ? null : dataPath(dataDir, "processes");
  const own = folder === null ? null : enter(folder);

  async function freeLeasesOf(number: string): Promise<void> {
    let held: { name: string; owner: string }[];
    do {
      held = await rows.heldBy(`${number}/`, FREED_AT_ONCE);
      for (const { name, owner } of held) await rows.release(name, owner);
    } while (held.length === FREED_AT_ONCE);
  }

  /** Returns whether some of them had died. */
  async function buryTheDead(): Promise<boolean> {
    let isSome = false;
    for (const number of folder === null ? [] : readdirSync(folder)) {
      if (number === own?.number || !NUMBER.test(number)) continue;
      const lock = tryFileLock(join(folder!, number));
      if (lock === null) continue;
      try {
        await freeLeasesOf(number);
        rmSync(lock.path, { force: true });
        isSome = true;
      } finally {
        lock.release();
      }
    }
    return isSome;
  }

  async function tryToBury(): Promise<boolean> {
    try {
      return await buryTheDead();
    } catch (err) {
      logger.warn(
        { err, folder },
        "leases of processes that died can't be freed; they run out by themselves",
      );
      return false;
    }
  }

  await tryToBury();
  return {
    ...createLeases({
      database,
      clock,
      newOwner: () => `${own?.number ?? crypto.randomUUID()}/${crypto.randomUUID()}`,
      releaseAbandoned: tryToBury,
    }),
    close() {
      if (own === null) return;
      rmSync(own.lock.path, { force: true });
      own.lock.release();
    },
  };
}

/** The own file, locked. */
function enter(folder: string): { number: string; lock: FileLock } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const number = crypto.randomUUID();
    const lock = tryFileLock(join(folder, number));
    // Null when another process took it for one of the dead, between its making and its locking.
    if (lock !== null) return { number, lock };
  }
}
