import type { ByteRange } from "../../lib/byte-range.ts";

export type DriverType = "local" | "s3";

/**
 * What a storage driver promises, held by driver.contract.ts for each of them.
 *
 * A driver keeps objects: bytes under a key, never changed and never put under the same key again. Bytes arrive in a
 * staging, which nobody can read as an object; `finish` makes all of it durable and gives it its key in one step, so
 * an object is whole or not there. A crash leaves a staging or an object that nobody refers to; both can be listed
 * by age and removed.
 *
 * Everything rejects with StorageUnavailable when the storage is away, full, refuses us or answers wrongly, with a
 * plain sentence for the client and the cause for the log; what a source throws passes through unchanged.
 */
export type Driver = {
  /** How long bytes may lie untouched before they are what a crash left, in milliseconds. */
  readonly staleAfterMs: number;
  /**
   * Whether the location is marked as one that this installation uses. With `mark` it is marked, and true. One that
   * was marked and is not any more may be an empty mount point.
   */
  claim(installation: string, mark: boolean): Promise<boolean>;
  /** A place for new bytes. The id, a lower-case UUID, is used once; nothing is stored before the first byte. */
  stage(id: string): Promise<Staging>;
  /**
   * The staging that was suspended under this id, in whatever process. `received` is what was durable then; the
   * result may have more (never less: it rejects).
   */
  resume(id: string, received: number): Promise<Staging>;
  /**
   * The object's bytes, or a range of them, for `new Response(body)`. Rejects unless the object is there with this
   * size; a stream that can't be read to its end fails instead of ending early.
   */
  open(key: string, wanted: ReadOptions): Promise<Blob | ReadableStream<Uint8Array>>;
  /** Null when there is no such object. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Removes the object; one that is not there is fine. */
  remove(key: string): Promise<void>;
  /** An address from which anybody may fetch the object for a while; null where there is none. */
  presign(key: string, answer: PresignedAnswer): Promise<string | null>;
  /** All objects, ascending by key in bytes, in pages of at most 1,000. Files that are not ours are left out. */
  listObjects(): AsyncIterable<readonly StoredObject[]>;
  /** Ids of stagings nobody has touched since `before` (epoch milliseconds), in pages. */
  listStagings(before: number): AsyncIterable<readonly string[]>;
  /** Removes whatever is left of a staging; nothing left is fine. */
  removeStaging(id: string): Promise<void>;
};

export type Staging = {
  readonly id: string;
  /** Bytes taken so far. */
  readonly received: number;
  /**
   * Takes the source to its end; its chunks belong to the staging from then on. When the source throws, what came
   * before it is kept and the error passed on.
   */
  append(source: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes what was received durable and lets go of it; `resume` continues. */
  suspend(): Promise<void>;
  /** The bytes from the beginning, to hash what came through other hands. Nothing is appended after it. */
  read(): AsyncIterable<Uint8Array>;
  /** Makes the bytes a durable object and returns its key. The staging is over, also when this rejects. */
  finish(content: ContentIdentity): Promise<string>;
  /** Removes what was received. Never rejects: what it can't remove is found by its age. */
  abort(): Promise<void>;
};

export type ContentIdentity = {
  /** 64 hex digits. */
  sha256: string;
  /** Random: no two objects of the same content share it. */
  generation: number;
};

export type ReadOptions = {
  /** Of the whole object, as it must be. */
  size: number;
  /** 0 ≤ start ≤ end < size. */
  range?: ByteRange;
  /** Ends the reading. */
  signal?: AbortSignal;
  /** Hears when the reading of a stream ends: whole or not wanted any more without, else with what it failed with. */
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
  /** Epoch milliseconds; for objects in parts possibly when the first of them began. */
  modifiedAt: number;
};
