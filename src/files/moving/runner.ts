/**
 * Runs the moves of storages. Passes over what a policy has go on until nothing is left. A storage that is away or full
 * is tried again, less and less often, and the move says why it waits. At the end objects stay for a while, for
 * downloads that still run; then the move is done.
 */
import type { Job } from "../../platform/jobs/runner.ts";
import type { Leases } from "../../platform/cluster/leases.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import type { Logger } from "../../lib/logger.ts";
import { pagesAfter } from "../../lib/pages.ts";
import { rest } from "../../lib/rest.ts";
import type { StoredBlob } from "../blobs/repository.ts";
import type { PolicyCache } from "../policies/drivers.ts";
import { uploadLease } from "../uploads/tus.repository.ts";
import type { MoveMetrics } from "./metrics.ts";
import { type createObjectMove, MoveInterrupted } from "./object-move.ts";
import { createThrottle, type Throttle } from "./throttle.ts";
import type { MovingRepository, StorageMove } from "./repository.ts";

/** Names the job and its lease: one process moves at a time. */
export const MOVING = "storage-move";

const EVERY_MS = 60_000;
const LOOK_MS = 1_000;
const PAGE = 100;
const AT_ONCE = 4;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
const UPLOADS_AT_ONCE = 100;
const UPLOAD_LEASE_MS = 30_000;

type Deps = {
  repository: MovingRepository;
  moveObject: ReturnType<typeof createObjectMove>;
  policies: PolicyCache;
  metrics?: MoveMetrics | undefined;
  leases: Pick<Leases, "hold">;
  /** Removes what the policy does not need any more. */
  finishDeletes(policyId: number): Promise<void>;
  /** Whether a running upload writes there. */
  hasUploads(policyId: number): Promise<boolean>;
  /** Ends the move if nothing is left. */
  settle(policyId: number): Promise<void>;
  clock: Clock;
  logger: Logger;
};

type Running = { move: StorageMove; copying: Throttle; comparing: Throttle; signal: AbortSignal };

export type MoveRunner = ReturnType<typeof createMoveRunner>;

/** Moves what one policy has. */
function createPolicyMove(deps: Deps) {
  const { repository, moveObject, policies, metrics, clock, logger } = deps;

  async function moveOne(
    { move, signal, ...paces }: Running,
    { id, size, ...blob }: StoredBlob,
  ): Promise<void> {
    signal.throwIfAborted();
    const { policyId, toId } = move;
    const outcome = await moveObject(id, { policyId, toId, signal, ...paces });
    if (outcome === "moved") metrics?.moved(size);
    if (typeof outcome === "string") return;
    metrics?.failed();
    logger.warn({ blob: id, key: blob.objectKey, reason: outcome.reason }, "stored content can't be moved");
    await repository.fail({ id, size, ...blob }, outcome.reason);
  }

  /** Returns how many contents it found. */
  async function pass(running: Running): Promise<number> {
    let found = 0;
    const find = (after: string, limit: number) => repository.next(running.move.policyId, after, limit);
    for await (const page of pagesAfter("", PAGE, find, ({ sha256 }) => sha256)) {
      found += page.length;
      await inParallel(page, AT_ONCE, (blob) => moveOne(running, blob));
    }
    return found;
  }

  async function nameOf(policyId: number): Promise<string> {
    return policies.find(policyId).then(
      ({ name }) => name,
      () => `#${policyId}`,
    );
  }

  async function end({ move }: Running): Promise<void> {
    const { policyId } = move;
    for (const id of await repository.emptyUploads(policyId, UPLOADS_AT_ONCE)) {
      // A request that has the lease may have begun to write.
      await deps.leases.hold(uploadLease(id), UPLOAD_LEASE_MS, () => repository.moveUpload(id, move));
    }
    await deps.finishDeletes(policyId);
    if (await deps.hasUploads(policyId)) return;
    await deps.settle(policyId);
  }

  return async function moveAll(running: Running): Promise<void> {
    const { signal } = running;
    const { policyId } = running.move;
    await repository.begin(policyId, clock.now());
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      try {
        if ((await pass(running)) === 0) return await end(running);
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted || !(error instanceof MoveInterrupted)) throw error;
        const trouble = `The storage '${await nameOf(error.policyId)}': ${messageOf(error.cause)}`;
        logger.warn({ err: error.cause, policy: error.policyId }, "a move of storage waits");
        await repository.setTrouble(policyId, trouble);
        await rest(pauseMs, signal);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  };
}

export function createMoveRunner(deps: Deps) {
  const { repository } = deps;
  const moveAll = createPolicyMove(deps);

  /** Runs until the move ends, waits for downloads, or `stop`. */
  function begin(move: StorageMove, signal: AbortSignal) {
    const stopped = new AbortController();
    const [copying, comparing] = [createThrottle(move.rate), createThrottle(move.rate)];
    const whole = AbortSignal.any([signal, stopped.signal]);
    const done = moveAll({ move, copying, comparing, signal: whole }).catch((error: unknown) => {
      if (signal.aborted || !stopped.signal.aborted) throw error;
    });
    return {
      done,
      /** The row as it is now; undefined: it does not run any more. */
      follow(now: StorageMove | undefined): void {
        if (now?.toId !== move.toId) return stopped.abort();
        copying.setRate(now.rate);
        comparing.setRate(now.rate);
      },
    };
  }

  /** Moves what can be moved now. Rejects after the signal, and while the database is away. */
  async function run(signal: AbortSignal): Promise<void> {
    const active = new Map<number, ReturnType<typeof begin>>();
    const waiting = new Map<number, number>();
    const failures: unknown[] = [];
    const ending = new AbortController();
    const whole = AbortSignal.any([signal, ending.signal]);

    const start = (move: StorageMove): void => {
      const { policyId } = move;
      const one = begin(move, whole);
      active.set(policyId, one);
      void one.done
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          active.delete(policyId);
          waiting.set(policyId, performance.now() + EVERY_MS);
        });
    };

    try {
      do {
        const moves = new Map((await repository.running()).map((move) => [move.policyId, move]));
        for (const [policyId, one] of active) one.follow(moves.get(policyId));
        for (const [policyId, move] of moves)
          if (!active.has(policyId) && performance.now() >= (waiting.get(policyId) ?? 0)) start(move);
        const ends = [...active.values()].map(({ done }) => done.catch(() => {}));
        await Promise.race([rest(LOOK_MS, signal), ...ends]);
      } while (active.size > 0 && !signal.aborted);
    } finally {
      ending.abort();
      await Promise.allSettled([...active.values()].map(({ done }) => done));
    }
    signal.throwIfAborted();
    if (failures.length > 0) throw failures[0];
  }

  const job: Job & { soonAfter: "policies" } = {
    name: MOVING,
    soonAfter: "policies",
    everyMs: () => EVERY_MS,
    run,
  };

  return { run, job };
}
