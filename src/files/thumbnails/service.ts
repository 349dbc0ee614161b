/** Thumbnails of pictures, and previews of those that browsers can't show, made when somebody first asks for them. */
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import type { StoredFile } from "../tree/entry.ts";
import { MOST_SOURCE_BYTES } from "./frame.ts";
import type { Maker } from "./maker-process.ts";
import type { Rendition, ThumbnailStore } from "./store.ts";

export type Thumbnails = ReturnType<typeof createThumbnails>;

type Deps = {
  blobs: Pick<Blobs, "open">;
  store: ThumbnailStore;
  maker: Maker;
  /** Whether a stranger put the file where it is. */
  isDropped(fileId: number): Promise<boolean>;
  logger: Logger;
};
type Bytes = Uint8Array<ArrayBuffer>;

/** A picture to process. It may wait twice, for an account and for strangers. */
type Job = {
  file: StoredFile;
  rendition: Rendition;
  signals: AbortSignal[];
  places: number;
  isForAccount: boolean;
  hasBegun: boolean;
  made: PromiseWithResolvers<Bytes | null>;
};

export type ThumbnailRequester = {
  /** The account that asks, or null for a visitor of a share. */
  accountId: number | null;
  /** Aborts when nobody waits any more. */
  signal: AbortSignal;
};

const PLAIN = /^image\/(?:png|apng|jpeg|gif|webp|bmp)$/;
const HEIF = /^image\/(?:hei[cf]|avif)$/;
const SWEEP_MS = 3_600_000;
/** The longer side in pixels. */
const SIDES: Record<Rendition, number> = { thumbnail: 512, preview: 1_600 };

/** Checks the type, which the uploader chose: there may be no thumbnail nevertheless. */
export const mayHaveThumbnail = ({ mimeType, size }: Pick<StoredFile, "mimeType" | "size">): boolean =>
  size > 0 && size <= MOST_SOURCE_BYTES && (PLAIN.test(mimeType) || HEIF.test(mimeType));

export function createThumbnails({ blobs, store, maker, isDropped, logger }: Deps) {
  const jobs = new Map<string, Job>();
  const turns = createTurns<Job>({ onLost: leave, isGone: isAborted });
  let isWorking = false;
  let sweeps: ReturnType<typeof setInterval> | undefined;

  async function make({ file, rendition, signals }: Job): Promise<Bytes | null> {
    // Who scrolled past it has left.
    if (isAborted({ signals })) throw tooManyWait();
    const { blobId, size, mimeType } = file;
    const { body } = await blobs.open(blobId);
    const picture = body instanceof Blob ? body.stream() : body;
    const what = { size, side: SIDES[rendition], isHeif: HEIF.test(mimeType) };
    const made = (await maker.make(picture, what)) as Bytes | null;
    await store.put(blobId, made, rendition);
    return made;
  }

  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let job = turns.next(); job !== undefined; job = turns.next()) {
      if (job.hasBegun) continue;
      job.hasBegun = true;
      await make(job).then(job.made.resolve, job.made.reject);
      jobs.delete(keyOf(job));
    }
    isWorking = false;
  }

  /** A place of it went to somebody else. */
  function leave(job: Job): void {
    job.places -= 1;
    if (job.places > 0 || job.hasBegun) return;
    jobs.delete(keyOf(job));
    job.made.reject(tooManyWait());
  }

  function inTurn(subject: JobSubject, signal: AbortSignal, waiting: Waiting): Promise<Bytes | null> {
    const job = jobs.get(keyOf(subject)) ?? newJob(subject);
    // An account does not wait as long as a stranger who came before.
    const needsPlace = job.places === 0 || (!waiting.isForStranger && !job.isForAccount && !job.hasBegun);
    const hasPlace = needsPlace && turns.add(job, waiting);
    if (job.places === 0 && !hasPlace) throw tooManyWait();
    job.places += Number(hasPlace);
    job.isForAccount ||= hasPlace && !waiting.isForStranger;
    job.signals.push(signal);
    jobs.set(keyOf(subject), job);
    void work();
    return job.made.promise;
  }

  const sweep = (): Promise<void> =>
    store
      .sweep()
      .catch((error: unknown) => logger.warn({ err: error }, "thumbnails could not be cleaned up"));

  return {
    /**
     * Null if it has none. Pictures that strangers see or have sent come after others, and those of one account or
     * share take turns with those of others.
     * @throws FileNotFound, StorageUnavailable, ServiceUnavailable if too many wait
     */
    async find(
      file: StoredFile,
      { accountId, signal }: ThumbnailRequester,
      rendition: Rendition = "thumbnail",
    ): Promise<Bytes | null> {
      if (!mayHaveThumbnail(file)) return null;
      const found = await store.find(file.blobId, rendition);
      if (found !== undefined) return found;
      const isForStranger = accountId === null || (await isDropped(file.id));
      return inTurn({ file, rendition }, signal, { owner: accountId ?? file.accountId, isForStranger });
    },

    /** Different pictures. */
    waiting: (): number => jobs.size,

    /** Call it in a server. Each node has thumbnails of its own. */
    keepTidy(): void {
      sweeps ??= setInterval(() => void sweep(), SWEEP_MS).unref();
    },

    close(): void {
      clearInterval(sweeps);
      maker.close();
    },
  };
}

const isAborted = ({ signals }: Pick<Job, "signals">): boolean => signals.every(({ aborted }) => aborted);

type JobSubject = Pick<Job, "file" | "rendition">;
const keyOf = ({ file, rendition }: JobSubject): string => `${rendition} ${file.blobId}`;

const newJob = ({ file, rendition }: JobSubject): Job => ({
  file,
  rendition,
  signals: [],
  places: 0,
  isForAccount: false,
  hasBegun: false,
  made: Promise.withResolvers(),
});

const tooManyWait = () =>
  appError("ServiceUnavailable", "Too many thumbnails are being made; try again later.");

/**
 * What waits, in turns by owner: each owner's next one after one of each other owner. What strangers make wait comes
 * after what accounts do, except for every eighth turn, so that no account stops the pages of shares. Each owner has a
 * bounded number of places, and so have all: then the newest of the owner with the most gives its place to a newcomer
 * who has fewer.
 */
type Waiting = { owner: number; isForStranger: boolean };

type Lane<J> = { jobs: Map<number, J[]>; size: number; most: number; mostOfOwner: number };

const TURN_BOUNDS = {
  accounts: { most: 400, mostOfOwner: 100 },
  strangers: { most: 100, mostOfOwner: 30 },
};
const STRANGERS_EVERY = 8;

type Options<J> = {
  /** Called with what had to leave. */
  onLost(job: J): void;
  /** Nobody waits for it any more. It leaves first. */
  isGone(job: J): boolean;
  bounds?: typeof TURN_BOUNDS;
};

export function createTurns<J>({ onLost, isGone, bounds = TURN_BOUNDS }: Options<J>) {
  const laneOf = (of: { most: number; mostOfOwner: number }): Lane<J> => ({
    ...of,
    jobs: new Map(),
    size: 0,
  });
  const accounts = laneOf(bounds.accounts);
  const strangers = laneOf(bounds.strangers);
  let turns = 0;

  /** What waits of the owner, without what nobody waits for if it is much. */
  function waitingOf(lane: Lane<J>, owner: number): J[] {
    const all = lane.jobs.get(owner) ?? [];
    if (all.length < lane.mostOfOwner) return all;
    const { gone = [], kept = [] } = Object.groupBy(all, (job) => (isGone(job) ? "gone" : "kept"));
    if (kept.length === 0) lane.jobs.delete(owner);
    else lane.jobs.set(owner, kept);
    lane.size -= gone.length;
    for (const job of gone) onLost(job);
    return kept;
  }

  function makeRoom(lane: Lane<J>, newcomer: number): boolean {
    const { jobs } = lane;
    const [largest, waiting] = [...jobs].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    );
    if (waiting.length - 1 <= (jobs.get(newcomer)?.length ?? 0)) return false;
    const lost = waiting.pop()!;
    if (waiting.length === 0) jobs.delete(largest);
    lane.size -= 1;
    onLost(lost);
    return true;
  }

  function first(lane: Lane<J>): J | undefined {
    const next = lane.jobs.entries().next().value;
    if (next === undefined) return undefined;
    const [owner, waiting] = next;
    const job = waiting.shift()!;
    lane.size -= 1;
    // Behind all others.
    lane.jobs.delete(owner);
    if (waiting.length > 0) lane.jobs.set(owner, waiting);
    return job;
  }

  return {
    /** False: there is no room. */
    add(job: J, { owner, isForStranger }: Waiting): boolean {
      const lane = isForStranger ? strangers : accounts;
      const waiting = waitingOf(lane, owner);
      if (waiting.length >= lane.mostOfOwner) return false;
      if (lane.size >= lane.most && !makeRoom(lane, owner)) return false;
      lane.size += 1;
      lane.jobs.set(owner, [...waiting, job]);
      return true;
    },
    /** Undefined: nothing waits. */
    next(): J | undefined {
      turns += 1;
      const order = turns % STRANGERS_EVERY === 0 ? [strangers, accounts] : [accounts, strangers];
      return first(order[0]!) ?? first(order[1]!);
    },
  };
}
