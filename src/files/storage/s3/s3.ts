/**
 * Objects in an S3 bucket, in path style. S3 can't rename, and a copy costs as much as an upload. So bytes go directly
 * to their final key, with the staging's id instead of the content's hash.
 */
import { appError } from "../../../lib/errors.ts";
import type { Driver, StagedBytes, Staging } from "../driver.ts";
import { idKey, isObjectKey, isStagingId, markerOf, STAGING, stagingOfKey } from "../object-key.ts";
import { createS3Client, type S3Client, type S3Settings } from "./client.ts";
import { s3RefusalOf } from "./failure.ts";
import { createS3Location, type S3Location } from "./location.ts";
import {
  completeUpload,
  type HashedBytes,
  hashOf,
  objectSize,
  partBytes,
  putObject,
  putPart,
} from "./parts.ts";
import {
  abortUploads,
  beginUpload,
  listMultipartUploads,
  MAX_PARTS,
  type MultipartUpload,
  type Part,
  partsOf,
  sizeOf,
} from "./multipart-uploads.ts";
import { openS3Object } from "./read.ts";
import { dispose } from "../../../lib/disposable-bytes.ts";
import { fault } from "../../../lib/fault.ts";
import { stagingLost } from "../storage-failure.ts";

/** A slow client may need hours between two parts. */
const STALE_AFTER_MS = 86_400_000;

/** A prefix has no slashes at its ends; it may be empty. @throws BadRequest */
export function checkPrefix(prefix: string): void {
  if (prefix === "") return;
  const wrong = prefix.split("/").some((segment) => segment === "" || segment === "." || segment === "..");
  if (wrong) throw appError("BadRequest", "base_path: a prefix must not have empty, '.' or '..' segments.");
}

export function createS3Driver({ prefix, ...settings }: S3Settings & { prefix: string }): Driver {
  const client = createS3Client(settings);
  const location = createS3Location(client, prefix);
  const { full } = location;
  return {
    staleAfterMs: STALE_AFTER_MS,
    claim: (installation, mark) => claim(location, installation, mark),
    stage: async (id) => createS3Staging(location, id),
    resume: (id, received) => resumeS3Staging(location, id, received),
    open: (key, options) => openS3Object({ client, key: full(key), ...options }),
    async stat(key) {
      const size = await objectSize(client, full(key));
      return size === null ? null : { size };
    },
    remove: (key) => location.remove(full(key)),
    presign: async (key, { contentType, contentDisposition, expiresSeconds }) =>
      client.presign(
        full(key),
        { "response-content-type": contentType, "response-content-disposition": contentDisposition },
        expiresSeconds,
      ),
    async *listObjects() {
      for await (const page of location.list("")) yield page.filter(({ key }) => isObjectKey(key));
    },
    listStagings: (matches) => listStagings(location, matches),
    async removeStaging(id) {
      await abortUploads(client, full(idKey(id)));
      await location.removeTails(id);
    },
  };
}

async function* listStagings(
  location: S3Location,
  matches: (id: string) => boolean,
): AsyncGenerator<readonly StagedBytes[]> {
  const { client, full } = location;
  for await (const page of listMultipartUploads(client, full(""))) {
    const found: StagedBytes[] = [];
    for (const upload of page) {
      const id = stagingOfKey(upload.key.slice(full("").length));
      const staged = id !== null && matches(id) ? await stagedParts(client, upload) : null;
      if (staged !== null) found.push({ id: id!, ...staged });
    }
    yield found;
  }
  for await (const page of location.list(`${STAGING}/`)) {
    yield page
      .map(({ key, size, modifiedAt }) => ({
        id: key.slice(STAGING.length + 1).split(".")[0]!,
        size,
        modifiedAt,
      }))
      .filter(({ id }) => isStagingId(id) && matches(id));
  }
}

/** The parts of an upload, or null if it ended meanwhile. */
async function stagedParts(
  client: S3Client,
  upload: MultipartUpload,
): Promise<Omit<StagedBytes, "id"> | null> {
  try {
    const { parts, newestAt } = await partsOf(client, upload);
    return { size: sizeOf(parts), modifiedAt: Math.max(upload.initiatedAt, newestAt) };
  } catch (error) {
    if (s3RefusalOf(error)?.word === "NoSuchUpload") return null;
    throw error;
  }
}

async function claim({ client, full }: S3Location, installation: string, mark: boolean): Promise<boolean> {
  const key = full(markerOf(installation));
  const isMarked = await client.text({ method: "GET", key }).then(
    () => true,
    (error: unknown) => {
      // A missing bucket is an error.
      if (s3RefusalOf(error)?.word !== "NoSuchKey") throw error;
      return false;
    },
  );
  if (isMarked || !mark) return isMarked;
  const bytes = new TextEncoder().encode("Waymark keeps files here. Do not remove this one.\n");
  await putObject(client, key, { bytes, sha256: hashOf(bytes) });
  return true;
}

const FIRST_BUFFER_BYTES = 64 * 1024;
/** One is sent while the endpoint processes the other. */
const PARTS_AT_ONCE = 2;

type Parts = { uploadId: string | undefined; parts: Part[] };
/** `objectBytes`: of an object that is finished. */
type Begun = Parts & { tail: Uint8Array; isResumed: boolean; objectBytes: number | null };

const createS3Staging = (location: S3Location, id: string): Staging =>
  continueStaging(location, id, { ...nothing(), isResumed: false });

const nothing = () => ({ uploadId: undefined, parts: [], tail: new Uint8Array(), objectBytes: null });

/** Continues parts and tail, or the object that they became before a crash. Rejects if fewer bytes are stored. */
async function resumeS3Staging(location: S3Location, id: string, received: number): Promise<Staging> {
  const begun = await findParts(location, id);
  const tail = await location.readTail(id, sizeOf(begun.parts));
  const staging = continueStaging(location, id, {
    ...begun,
    tail: tail ?? new Uint8Array(),
    isResumed: true,
    objectBytes: null,
  });
  const isBegun = tail !== null || begun.uploadId !== undefined;
  if (isBegun && staging.received >= received) return staging;
  const objectBytes = await objectSize(location.client, location.full(idKey(id)));
  if (objectBytes === null || objectBytes < received) throw lost(id, staging.received, received);
  return continueStaging(location, id, { ...nothing(), isResumed: true, objectBytes });
}

const lost = (id: string, found: number, received: number) =>
  stagingLost(new Error(`staging ${id} has ${found} of ${received} bytes`));

/** A lost response may have created a second upload; uses the one with the most bytes. */
async function findParts({ client, full }: S3Location, id: string): Promise<Parts> {
  let best: Parts = { uploadId: undefined, parts: [] };
  const key = full(idKey(id));
  for await (const page of listMultipartUploads(client, key)) {
    for (const upload of page.filter((one) => one.key === key)) {
      const parts = unbroken((await partsOf(client, upload)).parts);
      if (best.uploadId === undefined || sizeOf(parts) > sizeOf(best.parts)) {
        best = { uploadId: upload.uploadId, parts };
      }
    }
  }
  return best;
}

/** Up to the first gap. Later parts are sent again under their numbers. */
const unbroken = (parts: readonly Part[]): Part[] => parts.filter(({ number }, at) => number === at + 1);

/**
 * An upload to a bucket. A full buffer becomes a part while the next one fills, and two parts may be in flight, so an
 * upload holds at most three in memory. A small upload is one request at the end.
 *
 * S3 can't append to parts, so `suspend` stores the buffer as an object `.staging/<id>.<offset>`, which is ignored
 * unless its offset is the end of the parts.
 */
function continueStaging(
  location: S3Location,
  id: string,
  { uploadId, parts, tail, isResumed, objectBytes }: Begun,
): Staging {
  const { client, full } = location;
  const key = full(idKey(id));
  let upload = uploadId;
  let received = objectBytes ?? sizeOf(parts) + tail.byteLength;
  /** Number of the part that the buffer becomes. */
  let number = (parts.at(-1)?.number ?? 0) + 1;
  const buffer = createBuffer(tail);
  /** Oldest first. */
  const flights: Promise<void>[] = [];
  /** Whether a tail may be stored. */
  let hasTail = isResumed;
  let sealed = objectBytes !== null;

  /** Waits until fewer than PARTS_AT_ONCE parts are in flight. */
  async function sendPart(): Promise<void> {
    await landed(flights, PARTS_AT_ONCE - 1);
    if (number > MAX_PARTS)
      throw appError("StorageUnavailable", "The storage does not accept files of this size.");
    upload ??= await beginUpload(client, key);
    const target = { key, uploadId: upload };
    const body = buffer.take();
    const part = { number, size: body.bytes.length };
    number += 1;
    const flight = putPart(client, target, part.number, body).then((etag) => {
      buffer.giveBack(body);
      parts.push({ ...part, etag });
      parts.sort((a, b) => a.number - b.number);
    });
    // A later part reports the failure; until then it must not be an unhandled rejection.
    flight.catch(() => undefined);
    flights.push(flight);
  }

  async function take(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      const limit = partBytes(number);
      const piece = chunk.subarray(at, at + Math.max(0, limit - buffer.size()));
      buffer.add(piece, limit);
      at += piece.byteLength;
      if (buffer.size() >= limit) await sendPart();
    }
  }

  async function seal(): Promise<void> {
    if (sealed) return;
    await landed(flights);
    if (parts.length === 0) {
      await putObject(client, key, buffer.take());
    } else {
      if (buffer.size() > 0) await sendPart();
      await landed(flights);
      await completeUpload(client, { key, uploadId: upload! }, parts);
    }
    sealed = true;
    fault("blob.after-rename");
  }

  async function removeAll(): Promise<void> {
    await Promise.allSettled(flights);
    if (upload !== undefined) await abortUploads(client, key);
    if (hasTail) await location.removeTails(id);
    // A commit with unknown outcome may have recorded an earlier object.
    if (sealed && objectBytes === null) await location.remove(key);
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
      // Even after a failure nothing may be in flight when the upload continues.
      await Promise.allSettled(flights);
      await landed(flights);
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
        // A multipart upload began, but the bytes fitted into one request.
        if (upload !== undefined && parts.length === 0) await abortUploads(client, key);
      } catch (error) {
        // The endpoint may have combined the parts without a response.
        sealed = true;
        await Promise.allSettled(flights);
        throw error;
      }
      return idKey(id);
    },
    settle: () => Promise.resolve(),
    abort: () => removeAll().catch(() => undefined),
  };
}

/** At most `left` parts stay in flight. */
async function landed(flights: Promise<void>[], left = 0): Promise<void> {
  for (; flights.length > left; flights.shift()) await flights[0];
}

/** A growing buffer with a running hash. Large uploads reuse its arrays. */
function createBuffer(initial: Uint8Array) {
  let held = new Uint8Array(Math.max(FIRST_BUFFER_BYTES, initial.byteLength));
  const spare: Uint8Array<ArrayBuffer>[] = [];
  let size = initial.byteLength;
  let hasher = new Bun.CryptoHasher("sha256").update(initial);
  held.set(initial);
  return {
    size: () => size,
    /** `limit`: the bytes in the end. */
    add(piece: Uint8Array, limit: number): void {
      if (size + piece.byteLength > held.length) {
        const larger = new Uint8Array(Math.min(Math.max(2 * held.length, size + piece.byteLength), limit));
        larger.set(held.subarray(0, size));
        held = larger;
      }
      held.set(piece, size);
      hasher.update(piece);
      size += piece.byteLength;
    },
    /** The caller owns the bytes until `giveBack`. */
    take(): HashedBytes {
      const taken = { bytes: held.subarray(0, size), sha256: hasher.digest("hex") };
      held = spare.pop() ?? new Uint8Array(held.length);
      size = 0;
      hasher = new Bun.CryptoHasher("sha256");
      return taken;
    },
    giveBack: ({ bytes }: HashedBytes): void => void spare.push(new Uint8Array(bytes.buffer)),
    copy: (): HashedBytes => ({ bytes: held.slice(0, size), sha256: hasher.copy().digest("hex") }),
  };
}
