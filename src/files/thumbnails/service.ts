/** Thumbnails of pictures, made when somebody first asks for them. */
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import type { StoredFile } from "../tree/entry.ts";
import { MOST_SOURCE_BYTES } from "./frame.ts";
import type { Maker } from "./maker-process.ts";
import type { ThumbnailStore } from "./store.ts";

export type Thumbnails = ReturnType<typeof createThumbnails>;

type Deps = { blobs: Pick<Blobs, "open">; store: ThumbnailStore; maker: Maker; logger: Logger };
type Bytes = Uint8Array<ArrayBuffer>;

const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|bmp)$/;
/** Each waits for those before it. */
const MOST_WAITING = 200;
const SWEEP_MS = 3_600_000;

/** By its type, which the uploader chose: there may be none nevertheless. */
export const mayHaveThumbnail = ({ mimeType, size }: Pick<StoredFile, "mimeType" | "size">): boolean =>
  size > 0 && size <= MOST_SOURCE_BYTES && PICTURE.test(mimeType);

export function createThumbnails({ blobs, store, maker, logger }: Deps) {
  const wanted = new Map<number, { made: Promise<Bytes | null>; signals: AbortSignal[] }>();
  let last: Promise<unknown> = Promise.resolve();
  let sweeps: ReturnType<typeof setInterval> | undefined;

  async function make({ blobId, size }: StoredFile, signals: readonly AbortSignal[]): Promise<Bytes | null> {
    // Who scrolled past it has left.
    if (signals.every(({ aborted }) => aborted)) throw busy();
    const { body } = await blobs.open(blobId);
    const picture = body instanceof Blob ? body.stream() : body;
    const made = (await maker.make(picture, size)) as Bytes | null;
    await store.put(blobId, made);
    return made;
  }

  function inTurn(file: StoredFile, signal: AbortSignal): Promise<Bytes | null> {
    const { blobId } = file;
    const known = wanted.get(blobId);
    if (known !== undefined) {
      known.signals.push(signal);
      return known.made;
    }
    if (wanted.size >= MOST_WAITING) throw busy();
    const signals = [signal];
    const made = last.then(() => make(file, signals)).finally(() => wanted.delete(blobId));
    last = made.catch(() => {});
    wanted.set(blobId, { made, signals });
    return made;
  }

  const sweep = (): Promise<void> =>
    store
      .sweep()
      .catch((error: unknown) => logger.warn({ err: error }, "thumbnails could not be cleaned up"));

  return {
    /**
     * Null if it has none.
     * @throws FileNotFound, StorageUnavailable, ServiceUnavailable if too many wait
     */
    async find(file: StoredFile, signal: AbortSignal): Promise<Bytes | null> {
      if (!mayHaveThumbnail(file)) return null;
      const found = await store.find(file.blobId);
      return found === undefined ? inTurn(file, signal) : found;
    },

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

const busy = () => appError("ServiceUnavailable", "Too many thumbnails are being made; try again later.");
