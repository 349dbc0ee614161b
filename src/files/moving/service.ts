/** What administrators do with moves of storages: start, watch and stop them. The runner moves. */
import type { Changes } from "../../platform/cluster/changes.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { EventRecord, RecordEvents } from "../../lib/event.ts";
import type { PolicyCache } from "../policies/drivers.ts";
import type { PoliciesRepository, StoredPolicy } from "../policies/repository.ts";
import type { Amount, FailedContent, MovingRepository, StorageMove } from "./repository.ts";

export type MoveProgress = Pick<StorageMove, "state" | "rate" | "trouble"> & {
  to: number;
  objectsDone: number;
  objectsLeft: number;
  objectsFailed: number;
  bytesDone: number;
  bytesLeft: number;
  /** Resumable uploads that began in the old storage. */
  uploadsLeft: number;
  /** An estimate; null: unknown. */
  secondsLeft: number | null;
  failed: (Omit<FailedContent, "blobId"> & { files: string[] })[];
};

export type MoveRequest = {
  to: number;
  /** Bytes a second; 0: unlimited. */
  rate: number;
};

const MOST_FAILED = 1_000;
/** Only the first ones are named with their files. */
const MOST_NAMED = 50;
const FILES_NAMED = 5;

export type StorageMoves = ReturnType<typeof createStorageMoves>;

type Deps = {
  repository: MovingRepository;
  policies: PoliciesRepository;
  cache: PolicyCache;
  changes: Changes;
  record: RecordEvents<Db>;
  /** Names of files with a content. */
  filesOf(blobId: number, limit: number): Promise<string[]>;
  /** Writes, reads and removes an object. @throws StorageUnavailable */
  probe(policyId: number): Promise<void>;
  clock: Clock;
};

export function createStorageMoves(deps: Deps) {
  const { repository, policies, cache, changes, record, probe, clock } = deps;
  const progressOf = createProgress(deps);
  const event = (verb: Verb, policy: StoredPolicy, after: object, actor: Event["actor"]) =>
    moveEvent(verb, { policy, after, actor }, clock.now());

  /** @throws NotFound, PolicyNotFound */
  async function find(policyId: number): Promise<StorageMove> {
    await cache.find(policyId);
    const move = await repository.find(policyId);
    if (move !== null) return move;
    throw appError("NotFound", "The content of this storage policy has never been moved.");
  }

  const isEnding = async ({ policyId }: StorageMove, db: Db): Promise<boolean> => {
    const { objects } = await repository.left(policyId, db);
    const isKept = (await repository.keptUntil(policyId, db)) !== null;
    return objects === 0 && !isKept && (await repository.uploadsLeft(policyId, db)) === 0;
  };

  /** @throws PolicyNotFound, BadRequest */
  async function pair(from: number, to: number): Promise<[StoredPolicy, StoredPolicy]> {
    const found: [StoredPolicy, StoredPolicy] = [await cache.find(from), await cache.find(to)];
    if (from === to) throw appError("BadRequest", "to: name another storage policy.");
    if (found.some(({ driverType }) => driverType === "linked"))
      throw appError(
        "BadRequest",
        "to: a linked folder stays as it lies on the server; nothing is moved out of it or into it.",
      );
    return found;
  }

  return {
    /** What would move. @throws PolicyNotFound, BadRequest */
    async preview(from: number, to: number): Promise<Amount> {
      await pair(from, to);
      return repository.left(from);
    },

    /**
     * Begins the move, continues a stopped one, or gives a running one another rate. @throws PolicyNotFound, BadRequest,
     * Conflict (another move has one of the two), StorageUnavailable (the target can't be written)
     */
    async start(from: number, { to, rate }: MoveRequest, actor = SYSTEM): Promise<MoveProgress> {
      const [source, target] = await pair(from, to);
      await probe(to);
      const move = await changes.write(async (tx) => {
        await policies.lock(tx.db);
        const known = await repository.lock(tx.db, from);
        validateStart(known, await repository.running(tx.db), from, to);
        const isContinued = known !== null && known.toId === to && known.state !== "done";
        const before = isContinued ? known : newMove(from, to);
        const next: StorageMove = { ...before, rate, state: "running", trouble: null };
        if (known?.state !== "running") {
          await repository.forgetFailures(tx.db, from);
          await record(tx.db, [event("move_start", source, { to: target.name, rate }, actor)]);
        }
        await repository.put(tx.db, next);
        tx.changed("policies", [String(from)]);
        return next;
      });
      return progressOf(move);
    },

    /** @throws NotFound, PolicyNotFound */
    get: async (policyId: number): Promise<MoveProgress> => progressOf(await find(policyId)),

    /** What has moved stays moved; `start` continues. @throws NotFound, PolicyNotFound */
    async stop(policyId: number, actor = SYSTEM): Promise<MoveProgress> {
      await find(policyId);
      await changes.write(async (tx) => {
        await policies.lock(tx.db);
        const move = await repository.lock(tx.db, policyId);
        if (move?.state !== "running") return;
        await repository.put(tx.db, { ...move, state: "stopped", trouble: null });
        const { objectsDone: objects, bytesDone: bytes } = move;
        const policy = await cache.find(policyId);
        await record(tx.db, [event("move_stop", policy, { objects, bytes }, actor)]);
        tx.changed("policies", [String(policyId)]);
      });
      return progressOf(await find(policyId));
    },

    /** Ends the move if nothing is left: folders and the default follow to the new policy. */
    settle: (policyId: number): Promise<void> =>
      changes.write(async (tx) => {
        await policies.lock(tx.db);
        const move = await repository.lock(tx.db, policyId);
        if (move?.state !== "running" || !(await isEnding(move, tx.db))) return;
        await repository.replacePolicy(tx.db, move);
        await repository.put(tx.db, { ...move, state: "done", trouble: null });
        const target = await cache.find(move.toId);
        const { objectsDone: objects, bytesDone: bytes } = move;
        const facts = { to: target.name, objects, bytes };
        await record(tx.db, [event("move_done", await cache.find(policyId), facts, SYSTEM)]);
        tx.changed("policies", [String(policyId), String(move.toId)]);
      }),
  };
}

type Verb = "move_start" | "move_stop" | "move_done";
type Event = { policy: StoredPolicy; after: object; actor: Pick<Actor, "name" | "via"> };

const moveEvent = (verb: Verb, { policy, after, actor }: Event, now: number): EventRecord => ({
  at: now,
  actor,
  action: `policy.${verb}`,
  subject: policy.name,
  before: null,
  after,
});

function createProgress({ repository, filesOf, clock }: Pick<Deps, "repository" | "filesOf" | "clock">) {
  return async function progressOf(move: StorageMove): Promise<MoveProgress> {
    const { policyId, toId: to, state, rate, trouble, objectsDone, bytesDone } = move;
    const [left, uploadsLeft, keptUntil, { total, failed }] = await Promise.all([
      repository.left(policyId),
      repository.uploadsLeft(policyId),
      repository.keptUntil(policyId),
      repository.failed(policyId, MOST_FAILED),
    ]);
    const named = failed.map(async ({ blobId, ...one }, at) => ({
      ...one,
      files: at < MOST_NAMED ? await filesOf(blobId, FILES_NAMED) : [],
    }));
    return {
      to,
      state,
      rate,
      trouble,
      objectsDone,
      bytesDone,
      uploadsLeft,
      objectsLeft: left.objects,
      objectsFailed: total,
      bytesLeft: left.bytes,
      secondsLeft: state === "running" ? secondsLeft(move, left, keptUntil, clock.now()) : null,
      failed: await Promise.all(named),
    };
  };
}

const newMove = (policyId: number, toId: number): StorageMove => ({
  policyId,
  toId,
  state: "running",
  rate: 0,
  trouble: null,
  objectsDone: 0,
  bytesDone: 0,
  begunAt: 0,
  begunObjects: 0,
  begunBytes: 0,
});

/** @throws Conflict */
function validateStart(
  known: StorageMove | null,
  running: readonly StorageMove[],
  from: number,
  to: number,
): void {
  if (known?.state === "running" && known.toId !== to)
    throw appError("Conflict", "Its content is moving to another storage policy. Stop that move first.");
  const others = running.filter(({ policyId }) => policyId !== from);
  if (others.some(({ policyId }) => policyId === to))
    throw appError("Conflict", "The content of the target is moving itself. Wait for the end of that move.");
  if (others.some(({ toId }) => toId === from))
    throw appError("Conflict", "Content is moving into this policy. Wait for the end of that move.");
}

/** By the speed since a process last began, within the rate. */
function secondsLeft(
  { rate, begunAt, begunObjects, begunBytes, objectsDone, bytesDone }: StorageMove,
  { objects, bytes }: Amount,
  keptUntil: number | null,
  now: number,
): number | null {
  if (objects === 0) return keptUntil === null ? null : Math.max(0, Math.ceil((keptUntil - now) / 1_000));
  const least = rate > 0 ? Math.ceil(bytes / rate) : null;
  const done = objectsDone - begunObjects;
  if (done <= 0 || begunAt === 0) return least;
  const share = Math.max(objects / done, bytes / Math.max(1, bytesDone - begunBytes));
  return Math.max(least ?? 0, Math.ceil((share * (now - begunAt)) / 1_000));
}
