/**
 * Leases that are free as soon as their process has stopped.
 *
 * Each process locks a file `processes/<number>` in the data folder and begins its owner names with that number. A
 * start, and a caller that finds a lease taken, lock files of dead processes and free their leases. Leases of processes
 * with another data folder expire.
 *
 * A command asks a process for a reading of the change feed by a file `<number>.ask`, which the process removes.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataPath } from "../../lib/data-folder.ts";
import { type FileLock, tryFileLock } from "../../lib/file-lock.ts";
import type { Logger } from "../../lib/logger.ts";
import { createLeaseRepository, type LeaseDeps } from "./lease.repository.ts";
import { createLeases } from "./leases.ts";
import { createProcesses } from "./processes.ts";

type Deps = LeaseDeps & {
  logger: Logger;
  /** Shared by the processes of a machine. */
  dataDir: string;
  /** A command only looks at the files. */
  isServer: boolean;
};

const FREED_AT_ONCE = 1_000;
const REPLY_MS = 3_000;
const LOOK_MS = 20;
const NUMBER = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export type ProcessLeases = Awaited<ReturnType<typeof openProcessLeases>>;

export async function openProcessLeases({ logger, dataDir, isServer, ...where }: Deps) {
  const rows = createLeaseRepository(where);
  const folder = dataPath(dataDir, "processes");
  const own = isServer ? enter(folder) : null;
  const number = own?.number ?? crypto.randomUUID();

  async function freeLeasesOf(other: string): Promise<void> {
    let held: { name: string; owner: string }[];
    do {
      held = await rows.heldBy(`${other}/`, FREED_AT_ONCE);
      for (const { name, owner } of held) await rows.release(name, owner);
    } while (held.length === FREED_AT_ONCE);
  }

  /** True if a process had crashed. */
  async function freeLeasesOfDead(): Promise<boolean> {
    let isSome = false;
    for (const other of existsSync(folder) ? readdirSync(folder) : []) {
      if (other === number || !NUMBER.test(other)) continue;
      const lock = tryFileLock(join(folder, other));
      if (lock === null) continue;
      try {
        await freeLeasesOf(other);
        rmSync(lock.path, { force: true });
        rmSync(askFile(other), { force: true });
        isSome = true;
      } finally {
        lock.release();
      }
    }
    return isSome;
  }

  async function tryToFree(): Promise<boolean> {
    try {
      return await freeLeasesOfDead();
    } catch (err) {
      logger.warn({ err, folder }, "leases of dead processes can't be freed; they expire");
      return false;
    }
  }

  const askFile = (of: string) => join(folder, `${of}.ask`);

  function ask(): string[] {
    const requests: string[] = [];
    for (const other of existsSync(folder) ? readdirSync(folder) : []) {
      if (!NUMBER.test(other)) continue;
      const lock = tryFileLock(join(folder, other));
      lock?.release();
      if (lock !== null) continue;
      requests.push(askFile(other));
      writeFileSync(askFile(other), "");
    }
    return requests;
  }

  if (isServer) await tryToFree();
  const newOwner = () => `${number}/${crypto.randomUUID()}`;
  const processes = createProcesses({
    rows,
    number,
    owner: newOwner(),
    releaseDead: tryToFree,
    isHere: (other) => existsSync(join(folder, other)),
    logger,
  });
  if (isServer) processes.start();
  return {
    ...createLeases({ ...where, newOwner, ...(isServer && { releaseAbandoned: tryToFree }) }),
    processes,
    /** Runs a reading of the change feed, then releases the commands that requested one before. */
    async aroundReading(read: () => Promise<void>): Promise<void> {
      const isRequested = existsSync(askFile(number));
      await read();
      if (isRequested) rmSync(askFile(number), { force: true });
    },
    /** Resolves when all servers of this data folder have read the feed, to false if one has not in three seconds. */
    async untilServersRead(): Promise<boolean> {
      const requests = ask();
      const end = performance.now() + REPLY_MS;
      while (requests.some((file) => existsSync(file))) {
        if (performance.now() > end) {
          for (const file of requests) rmSync(file, { force: true });
          return false;
        }
        await Bun.sleep(LOOK_MS);
      }
      return true;
    },
    /** Call it when no lease is held. */
    async close(): Promise<void> {
      await processes.close();
      if (own === null) return;
      // A release may have failed while the database was away. The file shows the next start which leases remain.
      const isFree = await freeLeasesOf(number).then(
        () => true,
        () => false,
      );
      if (isFree) rmSync(own.lock.path, { force: true });
      own.lock.release();
    },
  };
}

function enter(folder: string): { number: string; lock: FileLock } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const number = crypto.randomUUID();
    const lock = tryFileLock(join(folder, number));
    // Null if another process took it for dead between creation and lock.
    if (lock !== null) return { number, lock };
  }
}
