import type { ByteRange } from "../byte-range.ts";
import type { Disk, DiskFile } from "./disk.ts";

export type DriverType = "local" | "s3" | "linked";

/**
 * The contract of a storage driver; driver-contract.test-support.ts tests it.
 *
 * Objects are immutable; keys are never reused. A crash leaves a staging or an unreferenced object; both can be listed
 * by age and removed.
 *
 * A failure of the storage is StorageUnavailable, with a sentence for the client and the cause for the log. Errors of a
 * source pass through unchanged.
 */
export type Driver = {
  /** After this time without change, bytes count as left by a crash. */
  readonly staleAfterMs: number;
  /** Of linked policies, like the next one. Their stagings become files by `disk.move`, not by their keys. */
  readonly disk?: Disk;
  readonly isReadOnly?: boolean;
  /**
   * Whether the location has this installation's marker; `mark` writes it. A missing marker may mean an unmounted disk.
   */
  claim(installation: string, mark: boolean): Promise<boolean>;
  /** A lower-case UUID, used once. Nothing is stored before the first byte. */
  stage(id: string): Promise<Staging>;
  /** Continues a staging that any process suspended. Rejects if fewer than `received` bytes are durable. */
  resume(id: string, received: number): Promise<Staging>;
  /** Rejects unless the object has this size. An incomplete stream fails. */
  open(key: string, options: ReadOptions): Promise<Blob | ReadableStream<Uint8Array>>;
  /** The size of the object in bytes, or null if there is none. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Removes the object. Also resolves without such an object. */
  remove(key: string): Promise<void>;
  /** A temporary public URL, or null. */
  presign(key: string, response: PresignedResponse): Promise<string | null>;
  /** Lists objects by the bytes of their keys, at most 1,000 per page. Skips foreign files. */
  listObjects(): AsyncIterable<readonly StoredObject[]>;
  /** The stagings with these ids, in pages. An id may come twice, with different bytes. */
  listStagings(matches: (id: string) => boolean): AsyncIterable<readonly StagedBytes[]>;
  /** Also resolves if nothing is left. */
  removeStaging(id: string): Promise<void>;
};

export type Staging = {
  readonly id: string;
  readonly received: number;
  /**
   * Takes the whole source; its chunks belong to the staging. If the source throws, rejects with that error and keeps
   * the earlier bytes.
   */
  append(source: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes the received bytes durable, for `resume`. */
  suspend(): Promise<void>;
  /** All bytes from the first. No append may follow. */
  read(): AsyncIterable<Uint8Array>;
  /**
   * Makes the bytes durable under a key in one step. Until `settle`, a staging that was resumed can be resumed again
   * with all bytes. After a rejection abort the staging, or resume it with the bytes that were durable before.
   */
  finish(content: ContentIdentity): Promise<string>;
  /** Call it after `finish`, once nobody will resume it. Never rejects. */
  settle(): Promise<void>;
  /** Never rejects: the reaper removes the rest. */
  abort(): Promise<void>;
};

export type ContentIdentity = {
  /** 64 hex digits. */
  sha256: string;
  /** Random per object. */
  generation: number;
};

export type ReadOptions = {
  /** Expected size of the whole object. */
  size: number;
  /** 0 ≤ start ≤ end < size. */
  range?: ByteRange;
  signal?: AbortSignal;
  /** Of a linked policy, whose keys mean nothing: the place in its folder. */
  disk?: DiskFile;
  /** Called at the end of a stream; without an error if it is complete or cancelled. */
  onEnd?(error?: unknown): void;
  /** The rest of a stream that the storage can't continue, from another storage; null: there is none. */
  elsewhere?(rest: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
};

export type PresignedResponse = {
  contentType: string;
  contentDisposition: string;
  expiresSeconds: number;
};

export type StagedBytes = {
  id: string;
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
};

export type StoredObject = {
  key: string;
  size: number;
  /** Epoch milliseconds; of multipart objects possibly the start of the upload. */
  modifiedAt: number;
};
