/**
 * Moves one content to another policy: copies it, reads it back and compares its SHA-256. Then a transaction gives its
 * row the new object, if the row is as it was; a dead row keeps the former object for running downloads.
 *
 * If the new policy has the content, files and versions get that blob, under the locks of their trees, which everything
 * holds that adds or removes them.
 *
 * A crash leaves a copy without a row, which the reaper removes.
 */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { unlessTaken } from "../../platform/db/queries.ts";
import type { Clock } from "../../lib/clock.ts";
import { programName } from "../../lib/program-name.ts";
import { fault } from "../../lib/fault.ts";
import type { BlobsRepository, StoredBlob } from "../blobs/repository.ts";
import type { BlobCondition, Scrub } from "../blobs/scrub.ts";
import type { Blobs, StoredBytes } from "../blobs/service.ts";
import { contentDamaged, isContentDamaged, isStorageFailure } from "../storage/storage-failure.ts";
import type { Throttle } from "./throttle.ts";
import type { MovingRepository } from "./repository.ts";

export type ObjectMoveDeps = {
  database: Database;
  repository: MovingRepository;
  contents: BlobsRepository;
  blobs: Blobs;
  scrub: Pick<Scrub, "examineTwice" | "recordCondition">;
  lockTree(tx: Db, accountId: number): Promise<unknown>;
  clock: Clock;
  /** Moved objects stay so long. */
  graceMs: number;
};

/** `lost`: the content was deleted or moved meanwhile. A text says why the content stays. */
export type ObjectOutcome = "moved" | "lost" | { reason: string };

/** The target, and the speed of copies and of reading them back. */
export type ObjectTarget = { toId: number; copying: Throttle; comparing: Throttle; signal: AbortSignal };

/** A failure of the storage of a policy. */
export class MoveInterrupted extends Error {
  constructor(
    readonly policyId: number,
    override readonly cause: unknown,
  ) {
    super("the storage failed");
  }
}

const ACCOUNTS_AT_ONCE = 20;
const TRIES = 3;

const REASONS: Record<Exclude<BlobCondition, "sound">, string> = {
  missing: "The object is missing in the storage.",
  damaged: "The stored bytes are damaged: their SHA-256 is another one.",
};

const WRONG_COUNT = `Its count of files is wrong. Run '${programName()} doctor --storage --fix', then start the move again.`;

export function createObjectMove(deps: ObjectMoveDeps) {
  const { contents, blobs, scrub } = deps;
  const { swap, join } = createSwaps(deps);

  /** Failures of the storage name its policy. */
  async function at<T>(policyId: number, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw isStorageFailure(error) ? new MoveInterrupted(policyId, error) : error;
    }
  }

  /** As the scrub does: damage is recorded, and what is sound again is served again. */
  const examine = (blob: StoredBlob, signal: AbortSignal): Promise<BlobCondition> =>
    at(blob.policyId, async () => {
      const condition = await scrub.examineTwice(blob, signal);
      await scrub.recordCondition(blob, condition);
      return condition;
    });

  /** Whether the bytes in the storage have this SHA-256. */
  async function isThere(
    place: StoredBlob | StoredBytes,
    { comparing, signal }: ObjectTarget,
  ): Promise<boolean> {
    const through = (source: AsyncIterable<Uint8Array>) => comparing.through(source, signal);
    try {
      const sha256 = await at(place.policyId, () => blobs.readBack(place, { through, signal }));
      return sha256 === place.sha256;
    } catch (error) {
      if (error instanceof MoveInterrupted && isContentDamaged(error.cause)) return false;
      throw error;
    }
  }

  async function copy(blob: StoredBlob, { toId, copying, signal }: ObjectTarget): Promise<StoredBytes> {
    const { body } = await at(blob.policyId, () => blobs.openFound(blob, { signal }));
    let failure: unknown;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      const stream = body instanceof Blob ? body.stream() : body;
      try {
        yield* copying.through(stream as unknown as AsyncIterable<Uint8Array>, signal);
      } catch (error) {
        failure = error;
        throw error;
      }
    }
    try {
      return await blobs.store(bytes(), toId, { maxBytes: 0, signal });
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      throw new MoveInterrupted(error === failure ? blob.policyId : toId, error);
    }
  }

  /** Removes the copy unless a row has it, or may have it. */
  async function drop(stored: StoredBytes): Promise<void> {
    const known = await contents.knownKeys([stored.objectKey]).catch(() => null);
    if (known !== null && !known.has(stored.objectKey)) await stored.drop();
  }

  async function copyAndSwap(blob: StoredBlob, target: ObjectTarget): Promise<ObjectOutcome | "taken"> {
    const stored = await copy(blob, target);
    try {
      fault("move.copied");
      if (stored.sha256 !== blob.sha256 || stored.size !== blob.size)
        throw new MoveInterrupted(blob.policyId, contentDamaged(REASONS.damaged));
      if (!(await isThere(stored, target)))
        return { reason: "The new storage returned other bytes than were written." };
      fault("move.compared");
      const outcome = await swap(blob, stored);
      fault("move.swapped");
      return outcome;
    } finally {
      await drop(stored);
    }
  }

  /** @throws MoveInterrupted if a storage is away or full */
  async function moveOnce(blob: StoredBlob, target: ObjectTarget): Promise<ObjectOutcome | "taken"> {
    const twin = await contents.liveIn(target.toId, blob.sha256);
    if (twin !== null) {
      if (await isThere(twin, target)) return join(blob, twin);
      if ((await examine(twin, target.signal)) === "sound") return "taken";
    }
    if (blob.state === "damaged") {
      const condition = await examine(blob, target.signal);
      return condition === "sound" ? "taken" : { reason: REASONS[condition] };
    }
    try {
      return await copyAndSwap(blob, target);
    } catch (error) {
      const isDamaged =
        error instanceof MoveInterrupted && error.policyId === blob.policyId && isContentDamaged(error.cause);
      if (!isDamaged) throw error;
      const condition = await examine(blob, target.signal);
      if (condition === "sound") throw error;
      return { reason: REASONS[condition] };
    }
  }

  return async (id: number, target: ObjectTarget & { policyId: number }): Promise<ObjectOutcome> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const blob = await contents.find(id);
      if (blob === null || blob.state === "dead" || blob.policyId !== target.policyId) return "lost";
      const outcome = await moveOnce(blob, target);
      if (outcome !== "taken") return outcome;
    }
    return "lost";
  };
}

/** The transactions that end a move of one content. */
function createSwaps({ database, repository, contents, lockTree, clock, graceMs }: ObjectMoveDeps) {
  const times = () => ({ now: clock.now(), keptUntil: clock.now() + graceMs });
  const isAsRead = (found: StoredBlob | null, { policyId, objectKey, state }: StoredBlob): boolean =>
    found?.state === state && found.policyId === policyId && found.objectKey === objectKey;

  /** Compare and swap. `taken`: the new policy has the content meanwhile. */
  async function swap(blob: StoredBlob, stored: StoredBytes): Promise<"moved" | "lost" | "taken"> {
    let isLost = false;
    const isSwapped = await unlessTaken(() =>
      database.transaction(async (tx) => {
        const { policyId, generation, objectKey } = stored;
        isLost = !isAsRead(await contents.lock(tx, blob.id), blob);
        if (isLost || (await contents.liveIn(policyId, blob.sha256, tx)) !== null) return false;
        await repository.relocate(tx, blob, { policyId, generation, objectKey }, times());
        await repository.countDone(tx, blob.policyId, { objects: 1, bytes: blob.size });
      }),
    );
    if (isLost) return "lost";
    return isSwapped ? "moved" : "taken";
  }

  /** Files of a few owners get the twin. */
  const joinSome = (blob: StoredBlob, twin: StoredBlob, accounts: readonly number[]) =>
    database.transaction(async (tx): Promise<"moved" | "lost" | "some"> => {
      for (const account of accounts) await lockTree(tx, account);
      const found = new Map<number, StoredBlob | null>();
      for (const id of [blob.id, twin.id].sort((a, b) => a - b)) found.set(id, await contents.lock(tx, id));
      const [from, to] = [found.get(blob.id) ?? null, found.get(twin.id) ?? null];
      if (!isAsRead(from, blob) || !isAsRead(to, twin)) return "lost";
      const moved = accounts.length === 0 ? 0 : await repository.moveHolders(tx, accounts, blob.id, twin.id);
      await contents.addRefs(tx, new Map([[twin.id, moved]]));
      const left = from!.refs - moved;
      if (left > 0) {
        await contents.setRefs(tx, blob.id, left);
        return "some";
      }
      await repository.retire(tx, blob.id, times().keptUntil);
      await repository.countDone(tx, blob.policyId, { objects: 1, bytes: blob.size });
      return "moved";
    });

  /** `taken`: try again. */
  async function join(blob: StoredBlob, twin: StoredBlob): Promise<ObjectOutcome | "taken"> {
    for (;;) {
      const accounts = await repository.accountsOf(blob.id, ACCOUNTS_AT_ONCE);
      const outcome = await joinSome(blob, twin, accounts);
      fault("move.joined");
      if (outcome === "moved") return "moved";
      if (outcome === "lost") return "taken";
      if (accounts.length === 0) return { reason: WRONG_COUNT };
    }
  }

  return { swap, join };
}
