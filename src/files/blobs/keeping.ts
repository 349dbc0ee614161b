/** Writes the rows of stored bytes, concurrent ones in one transaction. If it fails, each is tried alone. */
import type { Db } from "../../platform/db/dialect.ts";
import { isUnavailable } from "../../platform/db/failures.ts";
import type { Clock } from "../../lib/clock.ts";
import { fault } from "../../lib/fault.ts";
import type { BlobsRepository, NewBlob, StoredBlob } from "./repository.ts";

/** Durable bytes without a row. Call keep or drop. */
export type StoredBytes = Readonly<NewBlob> & {
  /** Never rejects. */
  drop(): Promise<void>;
  /** They lie in a folder of the server, which gives them their place (files/tree/on-disk.ts). */
  isOnDisk?: boolean;
};

/** Ids of the bytes' blobs, in order, with one reference each. */
export type Commit = (tx: Db) => Promise<number[]>;

/** Calls `commit` in a transaction. Returns a result per item. May run several times. */
export type KeepWrite<I, R> = (items: readonly I[], commit: Commit) => Promise<readonly R[]>;

type Keepable = { stored: StoredBytes };

type Deps = {
  repository: BlobsRepository;
  clock: Clock;
  /** Runs work that no caller awaits. */
  inBackground(work: Promise<void>): void;
};

export function createKeeping({ repository, clock, inBackground }: Deps) {
  /** Keeps the object if a row has it, or may have it. */
  async function dropUnlessKept(stored: StoredBytes): Promise<void> {
    const known = await repository.knownKeys([stored.objectKey]).catch(() => null);
    if (known === null || known.has(stored.objectKey)) return;
    await stored.drop();
  }

  async function keepTogether<I extends Keepable, R>(
    items: readonly I[],
    write: KeepWrite<I, R>,
  ): Promise<readonly R[]> {
    let joined: readonly StoredBlob[] = [];
    const commit = async (tx: Db): Promise<number[]> => {
      joined = await repository.join(
        tx,
        items.map(({ stored }) => stored),
        clock.now(),
      );
      fault("blob.joined");
      return joined.map(({ id }) => id);
    };
    const results = await write(items, commit);
    fault("blob.after-commit");
    for (const [at, { stored }] of items.entries()) {
      if (joined[at]?.objectKey !== stored.objectKey) inBackground(stored.drop());
    }
    return results;
  }

  async function dropAll(items: readonly Keepable[], reason: unknown): Promise<void> {
    if (isUnavailable(reason)) return;
    for (const { stored } of items) await dropUnlessKept(stored);
  }

  /** One outcome per item. Removes what can't be kept, unless the outcome of the commit is unknown. */
  async function keep<I extends Keepable, R>(
    items: readonly I[],
    write: KeepWrite<I, R>,
  ): Promise<PromiseSettledResult<R>[]> {
    try {
      const results = await keepTogether(items, write);
      return results.map((value) => ({ status: "fulfilled", value }));
    } catch (reason) {
      if (items.length > 1 && !isUnavailable(reason)) {
        const outcomes: PromiseSettledResult<R>[] = [];
        for (const item of items) outcomes.push(...(await keep([item], write)));
        return outcomes;
      }
      await dropAll(items, reason);
      return items.map(() => ({ status: "rejected", reason }));
    }
  }

  return {
    keep,

    /** All or none. */
    async keepAll<I extends Keepable, R>(items: readonly I[], write: KeepWrite<I, R>): Promise<readonly R[]> {
      try {
        return await keepTogether(items, write);
      } catch (reason) {
        await dropAll(items, reason);
        throw reason;
      }
    },
  };
}
