import type { ByteRange } from "../../lib/byte-range.ts";

export type DriverType = "local" | "s3";

/**
 * The contract of a storage driver; driver.contract.ts tests it.
 *
 * Objects are immutable bytes under a key that is never reused. Bytes arrive in a staging, which is not readable as an
 * object. `finish` makes them durable and assigns the key in one step, so an object is complete or absent. A crash
 * leaves a staging or an unreferenced object; both can be listed by age and removed.
 *
 * Every failure of the storage is StorageUnavailable, with a plain sentence for the client and the cause for the log.
 * Errors of a source pass through unchanged.
 */
export type Driver = {
  /** Milliseconds without a change after which bytes count as left by a crash. */
  readonly staleAfterMs: number;
  /**
   * Whether the location has this installation's marker; `mark` writes it. A marker that disappeared may mean an empty
   * mount point.
   */
  claim(installation: string, mark: boolean): Promise<boolean>;
  /** Prepares a staging. The id is a lower-case UUID, used once. Nothing is stored before the first byte. */
  stage(id: string): Promise<Staging>;
  /**
   * Continues a staging that any process suspended. `received` was durable then. The result may have more; rejects if
   * it has less.
   */
  resume(id: string, received: number): Promise<Staging>;
  /**
   * The object, or a range of it, for `new Response(body)`. Rejects unless the object has this size. A stream that
   * breaks off fails.
   */
  open(key: string, wanted: ReadOptions): Promise<Blob | ReadableStream<Uint8Array>>;
  /** Null if there is no such object. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Also resolves if there is no such object. */
  remove(key: string): Promise<void>;
  /** A temporary public URL; null if the storage has none. */
  presign(key: string, answer: PresignedAnswer): Promise<string | null>;
  /** All objects, ascending by key in bytes, in pages of at most 1,000. Foreign files are skipped. */
  listObjects(): AsyncIterable<readonly StoredObject[]>;
  /** Ids of stagings that did not change since `before` (epoch milliseconds), in pages. */
  listStagings(before: number): AsyncIterable<readonly string[]>;
  /** Also resolves if nothing is left. */
  removeStaging(id: string): Promise<void>;
};

export type Staging = {
  readonly id: string;
  readonly received: number;
  /**
   * Takes the whole source and owns its chunks from then on. If the source throws, the staging keeps the earlier bytes
   * and rejects with the same error.
   */
  append(source: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes the received bytes durable and closes the staging. `resume` continues it. */
  suspend(): Promise<void>;
  /** All bytes from the first, to hash them. Do not append afterwards. */
  read(): AsyncIterable<Uint8Array>;
  /** Makes the bytes a durable object and returns its key. Ends the staging even if it rejects. */
  finish(content: ContentIdentity): Promise<string>;
  /** Removes the received bytes. Never rejects: the reaper finds the rest by its age. */
  abort(): Promise<void>;
};

export type ContentIdentity = {
  /** 64 hex digits. */
  sha256: string;
  /** Random, so objects of the same content differ. */
  generation: number;
};

export type ReadOptions = {
  /** The expected size of the whole object. */
  size: number;
  /** 0 ≤ start ≤ end < size. */
  range?: ByteRange;
  /** Stops reading. */
  signal?: AbortSignal;
  /** Called when reading a stream ends; without an error if it is complete or cancelled. */
  onEnd?(error?: unknown): void;
};

export type PresignedAnswer = {
  contentType: string;
  contentDisposition: string;
  expiresSeconds: number;
};

export type StoredObject = {
  key: string;
  size: number;
  /** Epoch milliseconds. For multipart objects possibly the start of the upload. */
  modifiedAt: number;
};
