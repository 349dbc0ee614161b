/**
 * Reads a multipart/form-data request while it streams in: texts are gathered, the file is handed on piece by piece
 * and only as fast as its consumer takes it, so memory stays flat for any size. At most one file. Everything is
 * bounded: number and size of fields, part headers, bytes outside of the file (endless preambles, unknown parts), and
 * the time the client may take. Whatever fails (a broken body, a client that goes away or falls silent, the consumer
 * itself) ends the file's body with that error, and the consumer has cleaned up before readMultipart rejects. What is
 * left of the request is then not read.
 */
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { type AppError, appError } from "../lib/errors.ts";

export type FilePart = {
  /** Name of the form field; empty when the part has none. */
  field: string;
  /** As the client means it, be it a path or worse; the escapes of browsers are undone. Undefined without one. */
  filename: string | undefined;
  /** As the client said, lower-cased, without parameters; undefined when it said nothing. */
  mimeType: string | undefined;
  /** To be read to its end; throws when the upload fails half-way. */
  body: AsyncIterable<Buffer>;
};

export type MultipartOptions<T> = {
  /** Called for the file. It must read the body to its end, or throw, which ends the upload with that error. */
  onFile(part: FilePart): Promise<T>;
  /** Which fields are files even without a filename; none unless told. */
  isFile?: (field: string) => boolean;
  /** Longest silence of the client in milliseconds; half a minute unless told. */
  stallMs?: number;
  /** How long the client may take to send everything, in milliseconds; any time unless told. */
  sendMs?: number;
};

export type MultipartForm<T> = {
  /** The last value of each field that is no file. */
  fields: ReadonlyMap<string, string>;
  /** What onFile returned; undefined when there was no file. */
  file: T | undefined;
};

const STALL_MS = 30_000;
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS_PER_PART = 32;
/** A body of this many bytes more than its file is refused. */
export const MAX_BYTES_BESIDE_FILE = 1024 * 1024;

const broken = (message: string, cause?: unknown): AppError =>
  appError("InvalidMultipartData", message, { cause });

/** @throws InvalidMultipartData, or what onFile threw */
export async function readMultipart<T>(
  request: Request,
  options: MultipartOptions<T>,
): Promise<MultipartForm<T>> {
  const parser = openParser(request, options);
  if (request.body === null) throw broken("The form is empty.");
  const reader = request.body.getReader();
  const upload = follow(parser, options);
  const deadline = startTimer(options.sendMs, () => upload.fail(broken("The upload takes too long.")));
  try {
    await pump(reader, parser, upload, options.stallMs ?? STALL_MS);
    deadline.stop();
    parser.end();
    await upload.until(upload.finished);
    return { fields: upload.fields, file: await upload.file?.result };
  } catch (error) {
    await upload.abandon(error);
    reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    deadline.stop();
  }
}

function openParser<T>(request: Request, options: MultipartOptions<T>): BusboyInstance {
  const { isFile } = options;
  try {
    const type = request.headers.get("content-type") ?? "";
    if (!/^multipart\/form-data\b/i.test(type)) throw new Error("another content type");
    return new Busboy({
      headers: { "content-type": type },
      preservePath: true,
      isPartAFile: (field, _type, filename) => filename !== undefined || (isFile?.(field ?? "") ?? false),
      limits: {
        files: 1,
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 1,
        fieldSize: MAX_FIELD_BYTES,
        headerPairs: MAX_HEADERS_PER_PART,
        headerSize: MAX_HEADER_BYTES,
      },
    });
  } catch (error) {
    throw broken("Send the data as multipart/form-data with a boundary.", error);
  }
}

type FileInHand<T> = { stream: BusboyFileStream; result: Promise<T> };
type Upload<T> = ReturnType<typeof follow<T>>;

/** Listens to the parser's events and turns the first failure, wherever it comes from, into the end of any wait. */
function follow<T>(parser: BusboyInstance, options: MultipartOptions<T>) {
  const fields = new Map<string, string>();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  let failure: { reason: unknown } | undefined;
  let interrupt: ((reason: unknown) => void) | undefined;
  const fail = (reason: unknown): void => {
    failure ??= { reason };
    interrupt?.(failure.reason);
  };
  const upload = {
    fields,
    finished,
    fail,
    file: undefined as FileInHand<T> | undefined,
    /** Waits for the promise or for the first failure, whichever comes first. */
    until: <V>(promise: Promise<V>): Promise<V> =>
      new Promise<V>((resolve, reject) => {
        interrupt = reject;
        if (failure !== undefined) reject(failure.reason);
        promise.then(resolve, reject);
      }),
    /** Ends the file's body with the error and waits until its consumer has let go. */
    async abandon(reason: unknown): Promise<void> {
      failure ??= { reason };
      upload.file?.stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
      await upload.file?.result.catch(() => undefined);
    },
  };
  const types = watchTypes(parser);
  parser.on("finish", finish);
  parser.on("error", (error) => fail(broken("The form is broken or cut off.", error)));
  parser.on("partsLimit", () => fail(broken("The form has too many parts.")));
  parser.on("fieldsLimit", () => fail(broken("The form has too many fields.")));
  parser.on("filesLimit", () => fail(broken("The form has more than one file; send one.")));
  parser.on("field", (name: string | undefined, value, _nameIsCut, valueIsCut) => {
    if (valueIsCut) fail(broken(`A field of the form is longer than ${MAX_FIELD_BYTES / 1024} KiB.`));
    else if (name !== undefined) fields.set(name, value);
  });
  parser.on(
    "file",
    (field: string | undefined, stream, filename: string | undefined, _encoding, mimeType) => {
      // What ends it reaches the consumer through its iteration.
      stream.on("error", () => undefined);
      const result = options.onFile({
        field: field ?? "",
        filename: filename?.replace(/%(?:22|0D|0A)/g, decodeURIComponent),
        mimeType: types.isGiven() ? mimeType : undefined,
        body: stream,
      });
      upload.file = { stream, result };
      result.then(() => {
        if (!stream.readableEnded) fail(new Error("The consumer of the upload has not read it to its end."));
      }, fail);
    },
  );
  return upload;
}

/**
 * Whether the part at hand says its type: the parser itself tells `text/plain` for a part that doesn't. So its inner
 * parser, which emits the headers, is asked before it asks.
 */
function watchTypes(parser: BusboyInstance): { isGiven(): boolean } {
  const inner = (parser as unknown as { _parser: { parser: NodeJS.EventEmitter } })._parser.parser;
  let isGiven = false;
  inner.prependListener("part", (part: NodeJS.EventEmitter) => {
    part.on("header", (headers: Record<string, unknown>) => (isGiven = "content-type" in headers));
  });
  return { isGiven: () => isGiven };
}

/** Moves the request's bytes into the parser until they end, each piece when the one before it is taken. */
async function pump<T>(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  parser: BusboyInstance,
  upload: Upload<T>,
  stallMs: number,
): Promise<void> {
  for (let received = 0; ; ) {
    const stall = startTimer(stallMs, () => upload.fail(broken("The upload stalls.")));
    const next = await upload
      .until(
        reader.read().catch((error: unknown) => Promise.reject(broken("The upload was cut off.", error))),
      )
      .finally(stall.stop);
    if (next.done) return;
    const { buffer, byteOffset, byteLength } = next.value;
    received += byteLength;
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    parser.write(Buffer.from(buffer, byteOffset, byteLength), () => resolve());
    await upload.until(taken);
    if (received - (upload.file?.stream.bytesRead ?? 0) > MAX_BYTES_BESIDE_FILE) {
      throw broken("The form holds too much besides its file.");
    }
  }
}

function startTimer(ms: number | undefined, expire: () => void): { stop(): void } {
  const timer = ms === undefined ? undefined : setTimeout(expire, ms);
  return { stop: () => clearTimeout(timer) };
}
