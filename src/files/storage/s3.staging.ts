/**
 * Bytes on their way into a bucket. They gather in a buffer; a full one goes as a part while the next one fills, so
 * an upload of any size holds two parts in memory, and a small one only itself: that is sent whole, in one request,
 * when it is finished. Parts can't be appended to, so what is in the buffer when an upload is suspended is put aside
 * as an object of its own, whose name says at which byte it begins (`.staging/<id>.<offset>`): one that does not fit
 * the end of the parts is older than they are and forgotten.
 */
import { appError } from "../../lib/errors.ts";
import { dispose } from "../../lib/disposable-bytes.ts";
import { fault } from "../../lib/fault.ts";
import type { Staging } from "./driver.ts";
import { idKey } from "./object-key.ts";
import type { S3Location } from "./s3.location.ts";
import {
  abortUploads,
  beginUpload,
  type Bytes,
  completeUpload,
  MAX_PARTS,
  openUploads,
  type Part,
  partBytes,
  partsOf,
  putPart,
} from "./s3.parts.ts";
import { openS3Object } from "./s3.read.ts";
import { stagingLost } from "./storage-failure.ts";

const FIRST_BUFFER_BYTES = 64 * 1024;

type Parts = { uploadId: string | undefined; parts: Part[] };
type Begun = Parts & { tail: Uint8Array; isResumed: boolean };

export const createS3Staging = (location: S3Location, id: string): Staging =>
  continueStaging(location, id, { uploadId: undefined, parts: [], tail: new Uint8Array(), isResumed: false });

/** Rejects when fewer bytes are there. */
export async function resumeS3Staging(location: S3Location, id: string, received: number): Promise<Staging> {
  const begun = await findParts(location, id);
  const tail = await location.readTail(id, sizeOf(begun.parts));
  const staging = continueStaging(location, id, {
    ...begun,
    tail: tail ?? new Uint8Array(),
    isResumed: true,
  });
  if (tail === null && begun.uploadId === undefined) throw lost(id, 0, received);
  if (staging.received < received) throw lost(id, staging.received, received);
  return staging;
}

const lost = (id: string, found: number, received: number) =>
  stagingLost(new Error(`staging ${id} has ${found} of ${received} bytes`));

/** A lost answer may have begun a second upload; the one with the most bytes counts. */
async function findParts({ client, full }: S3Location, id: string): Promise<Parts> {
  let best: Parts = { uploadId: undefined, parts: [] };
  const key = full(idKey(id));
  for await (const page of openUploads(client, key)) {
    for (const upload of page.filter((one) => one.key === key)) {
      const { parts } = await partsOf(client, upload);
      if (best.uploadId === undefined || sizeOf(parts) > sizeOf(best.parts)) {
        best = { uploadId: upload.uploadId, parts };
      }
    }
  }
  return best;
}

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + part.size, 0);

function continueStaging(
  location: S3Location,
  id: string,
  { uploadId, parts, tail, isResumed }: Begun,
): Staging {
  const { client, full } = location;
  const key = full(idKey(id));
  let upload = uploadId;
  let received = sizeOf(parts) + tail.byteLength;
  /** Of the part that the buffer becomes. */
  let number = (parts.at(-1)?.number ?? 0) + 1;
  const buffer = createBuffer(tail);
  let flight: Promise<void> = Promise.resolve();
  /** Whether bytes may have been put aside. */
  let hasTail = isResumed;
  let sealed = false;

  /** Sends the buffer as the next part, when the one before it has arrived. */
  async function sendPart(): Promise<void> {
    await flight;
    if (number > MAX_PARTS) throw appError("StorageUnavailable", "The storage takes no file of this size.");
    upload ??= await beginUpload(client, key);
    const target = { key, uploadId: upload };
    const body = buffer.take();
    const part = { number, size: body.bytes.length };
    number += 1;
    flight = putPart(client, target, part.number, body).then((etag) => {
      parts.push({ ...part, etag });
    });
    // It is looked at with the next part; until then a failure must not count as unhandled.
    flight.catch(() => undefined);
  }

  async function take(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      const limit = partBytes(number);
      const piece = chunk.subarray(at, at + Math.max(0, limit - buffer.size()));
      buffer.add(piece);
      at += piece.byteLength;
      if (buffer.size() >= limit) await sendPart();
    }
  }

  /** Everything at its place, as one object. */
  async function seal(): Promise<void> {
    if (sealed) return;
    await flight;
    if (parts.length === 0) {
      await client.head({ method: "PUT", key, body: buffer.take() });
    } else {
      if (buffer.size() > 0) await sendPart();
      await flight;
      await completeUpload(client, { key, uploadId: upload! }, parts);
    }
    sealed = true;
    fault("blob.after-rename");
  }

  async function removeAll(): Promise<void> {
    await flight.catch(() => undefined);
    if (upload !== undefined) await abortUploads(client, key);
    if (hasTail) await location.removeTails(id);
    if (sealed) await location.remove(key);
  }

  return {
    id,
    get received() {
      return received;
    },
    async append(source) {
      for await (const chunk of source) {
        const { byteLength } = chunk;
        await take(chunk);
        dispose(chunk);
        received += byteLength;
      }
    },
    async suspend() {
      await flight;
      if (buffer.size() > 0) {
        await location.putTail(id, sizeOf(parts), buffer.copy());
        hasTail = true;
      }
    },
    async *read() {
      await seal();
      if (received === 0) return;
      const stream = await openS3Object({ client, key, size: received });
      yield* stream as unknown as AsyncIterable<Uint8Array>;
    },
    async finish() {
      try {
        fault("blob.before-fsync");
        await seal();
        if (hasTail) await location.removeTails(id);
        // Begun, but what came after fitted into one request.
        if (upload !== undefined && parts.length === 0) await abortUploads(client, key);
      } catch (error) {
        // Put together or not: the endpoint may have done it and not said so.
        sealed = true;
        await removeAll().catch(() => undefined);
        throw error;
      }
      return idKey(id);
    },
    abort: () => removeAll().catch(() => undefined),
  };
}

/** Bytes that grow in place, hashed as they come; the two arrays of a large upload are used in turns. */
function createBuffer(initial: Uint8Array) {
  let held = new Uint8Array(Math.max(FIRST_BUFFER_BYTES, initial.byteLength));
  let spare: Uint8Array<ArrayBuffer> | undefined;
  let size = initial.byteLength;
  let hasher = new Bun.CryptoHasher("sha256").update(initial);
  held.set(initial);
  return {
    size: () => size,
    add(piece: Uint8Array): void {
      if (size + piece.byteLength > held.length) {
        const larger = new Uint8Array(Math.max(2 * held.length, size + piece.byteLength));
        larger.set(held.subarray(0, size));
        held = larger;
      }
      held.set(piece, size);
      hasher.update(piece);
      size += piece.byteLength;
    },
    /** What was gathered, valid until the next but one take. */
    take(): Bytes {
      const taken = { bytes: held.subarray(0, size), sha256: hasher.digest("hex") };
      const next = spare ?? new Uint8Array(held.length);
      spare = held;
      held = next;
      size = 0;
      hasher = new Bun.CryptoHasher("sha256");
      return taken;
    },
    copy: (): Bytes => ({ bytes: held.slice(0, size), sha256: hasher.copy().digest("hex") }),
  };
}
