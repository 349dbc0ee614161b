/** Thumbnails of pictures, made when somebody first asks for them. */
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import type { StoredFile } from "../tree/entry.ts";
import { MOST_SOURCE_BYTES } from "./frame.ts";
import type { Maker } from "./maker-process.ts";
import type { ThumbnailStore } from "./store.ts";
import { createTurns, type Waiting } from "./turns.ts";

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

const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|bmp)$/;
const SWEEP_MS = 3_600_000;

/** Checks the type, which the uploader chose: there may be no thumbnail nevertheless. */
export const mayHaveThumbnail = ({ mimeType, size }: Pick<StoredFile, "mimeType" | "size">): boolean =>
  size > 0 && size <= MOST_SOURCE_BYTES && PICTURE.test(mimeType);

export function createThumbnails({ blobs, store, maker, isDropped, logger }: Deps) {
  const jobs = new Map<number, Job>();
  const turns = createTurns<Job>({ onLost: leave, isGone });
  let isWorking = false;
  let sweeps: ReturnType<typeof setInterval> | undefined;

  async function make({ file: { blobId, size }, signals }: Job): Promise<Bytes | null> {
    // Who scrolled past it has left.
    if (isGone({ signals })) throw tooManyWait();
    const { body } = await blobs.open(blobId);
    const picture = body instanceof Blob ? body.stream() : body;
    const made = (await maker.make(picture, size)) as Bytes | null;
    await store.put(blobId, made);
    return made;
  }

  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let job = turns.next(); job !== undefined; job = turns.next()) {
      if (job.hasBegun) continue;
      job.hasBegun = true;
      await make(job).then(job.made.resolve, job.made.reject);
      jobs.delete(job.file.blobId);
    }
    isWorking = false;
  }

  /** A place of it went to somebody else. */
  function leave(job: Job): void {
    job.places -= 1;
    if (job.places > 0 || job.hasBegun) return;
    jobs.delete(job.file.blobId);
    job.made.reject(tooManyWait());
  }

  function inTurn(file: StoredFile, signal: AbortSignal, waiting: Waiting): Promise<Bytes | null> {
    const { blobId } = file;
    const job = jobs.get(blobId) ?? newJob(file);
    // An account does not wait as long as a stranger who came before.
    const needsPlace = job.places === 0 || (!waiting.isForStranger && !job.isForAccount && !job.hasBegun);
    const hasPlace = needsPlace && turns.add(job, waiting);
    if (job.places === 0 && !hasPlace) throw tooManyWait();
    job.places += Number(hasPlace);
    job.isForAccount ||= hasPlace && !waiting.isForStranger;
    job.signals.push(signal);
    jobs.set(blobId, job);
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
    async find(file: StoredFile, { accountId, signal }: ThumbnailRequester): Promise<Bytes | null> {
      if (!mayHaveThumbnail(file)) return null;
      const found = await store.find(file.blobId);
      if (found !== undefined) return found;
      const isForStranger = accountId === null || (await isDropped(file.id));
      return inTurn(file, signal, { owner: accountId ?? file.accountId, isForStranger });
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

const isGone = ({ signals }: Pick<Job, "signals">): boolean => signals.every(({ aborted }) => aborted);

const newJob = (file: StoredFile): Job => ({
  file,
  signals: [],
  places: 0,
  isForAccount: false,
  hasBegun: false,
  made: Promise.withResolvers(),
});

const tooManyWait = () =>
  appError("ServiceUnavailable", "Too many thumbnails are being made; try again later.");
