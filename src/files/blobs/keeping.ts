/**
 * Stored bytes get their rows. Those that come together are kept in one transaction, which is one commit for all of
 * them. Where it fails each is tried alone, so one that can't be kept does the others no harm.
 */
import type { Db } from "../../db/dialect.ts";
import { isUnavailable } from "../../db/failures.ts";
import type { Clock } from "../../lib/clock.ts";
import { fault } from "../../lib/fault.ts";
import type { StoredBlob } from "./blob.ts";
import type { BlobsRepository } from "./repository.ts";

/** Bytes that are durable under a key of their own, but in no table yet. Either keep or drop them. */
export type StoredBytes = {
  readonly policyId: number;
  readonly sha256: string;
  readonly size: number;
  readonly generation: number;
  readonly objectKey: string;
  /** Removes the bytes; never rejects. */
  drop(): Promise<void>;
};

/** Gives the ids of the blobs that hold the bytes, in their order, with one reference for each. */
export type Commit = (tx: Db) => Promise<number[]>;

/**
 * Opens a transaction for some of the items and calls `commit` in it. Returns one result for each of them. It may be
 * called several times.
 */
export type KeepWrite<I, R> = (items: readonly I[], commit: Commit) => Promise<readonly R[]>;

/** What is to be kept. */
type Keepable = { stored: StoredBytes };

type Deps = {
  repository: Pick<BlobsRepository, "join" | "knownKeys">;
  clock: Clock;
  /** For work that nobody waits for. */
  inBackground(work: Promise<void>): void;
};

export function createKeeping({ repository, clock, inBackground }: Deps) {
  /** When a row may hold the object, or nobody knows, it stays. */
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

  /**
   * One outcome for each item. What can't be kept is removed, but for a failure after which nobody knows whether the
   * rows are there.
   */
  return async function keep<I extends Keepable, R>(
    items: readonly I[],
    write: KeepWrite<I, R>,
  ): Promise<PromiseSettledResult<R>[]> {
    try {
      const results = await keepTogether(items, write);
      return results.map((value) => ({ status: "fulfilled", value }));
    } catch (reason) {
      const isUnknown = isUnavailable(reason);
      if (items.length > 1 && !isUnknown) {
        const outcomes: PromiseSettledResult<R>[] = [];
        for (const item of items) outcomes.push(...(await keep([item], write)));
        return outcomes;
      }
      if (!isUnknown) for (const { stored } of items) await dropUnlessKept(stored);
      return items.map(() => ({ status: "rejected", reason }));
    }
  };
}
