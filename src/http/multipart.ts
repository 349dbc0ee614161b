/**
 * Reads a multipart/form-data request while it streams in: texts are gathered, the file is handed on piece by piece
 * and only as fast as its consumer takes it, so memory stays flat for any size. At most one file. Everything is
 * bounded: number and size of fields, part headers, bytes outside of the file (endless preambles, unknown parts), and
 * the time the client may take. Whatever fails (a broken body, a client that goes away or falls silent, the consumer
 * itself) ends the file's body with that error, and the consumer has cleaned up before readMultipart rejects. What is
 * left of the request is then not read.
 */
import { type AppError, appError } from "../lib/errors.ts";
import { parseHeaderParameters } from "../lib/header-parameters.ts";
import {
  type BodyPart,
  BrokenMultipart,
  createMultipartReader,
  type MultipartReader,
} from "../lib/multipart-reader.ts";
import type { BodyReservation } from "./body-memory.ts";
import { type BodyReader, createBodyReader, type BodyReadQueue } from "./body-reader.ts";

export type FilePart = {
  /** Name of the form field; empty when the part has none. */
  field: string;
  /** As the client means it, be it a path or worse; the escapes of browsers are undone. Undefined without one. */
  filename: string | undefined;
  /** As the client said, lower-cased, without parameters; undefined when it said nothing. */
  mimeType: string | undefined;
  /**
   * To be read to its end; throws when the upload fails half-way. The pieces are the reader's, who should dispose of
   * them (lib/disposable-bytes.ts) when the file may be large.
   */
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
  /** Among which clients that send at once it waits for its turn; none unless told. */
  readQueue?: BodyReadQueue;
  /** Where the form's texts count while they are in memory. */
  reservation?: Pick<BodyReservation, "add">;
};

export type MultipartForm<T> = {
  /** The last value of each field that is no file. */
  fields: ReadonlyMap<string, string>;
  /** What onFile returned; undefined when there was no file. */
  file: T | undefined;
};

const STALL_MS = 30_000;
/** Besides a file. */
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 64 * 1024;
const LIMITS = { headerBytes: 16 * 1024, headers: 32 };
/** A body of this many bytes more than its file is refused. */
export const MAX_BYTES_BESIDE_FILE = 1024 * 1024;

const broken = (message: string, cause?: unknown): AppError =>
  appError("InvalidMultipartData", message, { cause });

/** @throws InvalidMultipartData, or what onFile threw */
export async function readMultipart<T>(
  request: Request,
  options: MultipartOptions<T>,
): Promise<MultipartForm<T>> {
  const boundary = boundaryOf(request);
  if (request.body === null) throw broken("The form is empty.");
  const source = createSource(createBodyReader(request.body, request.headers, options.readQueue), options);
  try {
    const form = await readForm(createMultipartReader(boundary, source.read, LIMITS), source, options);
    while ((await source.read()) !== null);
    return form;
  } catch (error) {
    source.cancel();
    if (error instanceof BrokenMultipart) throw broken("The form is broken or cut off.", error);
    throw error;
  } finally {
    source.close();
  }
}

function boundaryOf(request: Request): string {
  const { value, parameters } = parseHeaderParameters(request.headers.get("content-type") ?? "");
  const boundary = parameters.get("boundary") ?? "";
  if (value === "multipart/form-data" && /^[ -~]{1,200}$/.test(boundary)) return boundary;
  throw broken("Send the data as multipart/form-data with a boundary.");
}

type Source = ReturnType<typeof createSource>;

/** The request's bytes, read in time, and counted apart from the file's. */
function createSource(
  reader: BodyReader,
  { stallMs = STALL_MS, sendMs }: Pick<MultipartOptions<unknown>, "stallMs" | "sendMs">,
) {
  const end = sendMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + sendMs;
  let received = 0;
  let inFile = 0;

  /** Ends the reading that is under way. */
  let giveUp: ((reason: unknown) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** One timer for all readings, as long as they may last equally long: there are ten thousands of them. */
  function arm(): void {
    const left = end - performance.now();
    if (timer !== undefined && left >= stallMs) {
      timer.refresh();
      return;
    }
    clearTimeout(timer);
    const message = left < stallMs ? "The upload takes too long." : "The upload stalls.";
    timer = setTimeout(() => giveUp?.(broken(message)), Math.max(Math.min(left, stallMs), 0));
  }

  const readInTime = (): Promise<Uint8Array | null> =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      arm();
      reader.read().then(
        (bytes) => {
          giveUp = undefined;
          resolve(bytes);
        },
        (error: unknown) => reject(broken("The upload was cut off.", error)),
      );
    });

  return {
    /** Null at the end. */
    async read(): Promise<Uint8Array | null> {
      // What came before has been handed on by now, as far as it was the file's.
      if (received - inFile > MAX_BYTES_BESIDE_FILE)
        throw broken("The form holds too much besides its file.");
      await reader.turn();
      const bytes = await readInTime();
      received += bytes?.byteLength ?? 0;
      return bytes;
    },
    async *file(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
      for await (const piece of body) {
        inFile += piece.byteLength;
        yield piece;
      }
    },
    cancel: reader.cancel,
    close(): void {
      clearTimeout(timer);
      reader.close();
    },
  };
}

async function readForm<T>(
  parts: MultipartReader,
  source: Source,
  { onFile, isFile, reservation }: MultipartOptions<T>,
): Promise<MultipartForm<T>> {
  const fields = new Map<string, string>();
  let file: { result: T } | undefined;
  for (let others = 0; ; ) {
    const part = await parts.next();
    if (part === null) return { fields, file: file?.result };
    const { field, filename, mimeType } = describePart(part);
    if (filename === undefined && !(isFile?.(field ?? "") ?? false)) {
      others++;
      if (others > MAX_FIELDS) throw broken("The form has too many fields.");
      const text = await readText(part.body, reservation);
      if (field !== undefined) fields.set(field, text);
      continue;
    }
    if (file !== undefined) throw broken("The form has more than one file; send one.");
    file = { result: await onFile({ field: field ?? "", filename, mimeType, body: source.file(part.body) }) };
  }
}

/** A part that is no form data has neither name. */
function describePart({ headers }: BodyPart) {
  const { value, parameters } = parseHeaderParameters(headers.get("content-disposition") ?? "");
  const type = headers.get("content-type");
  const isField = value === "form-data";
  return {
    field: isField ? parameters.get("name") : undefined,
    // Browsers write quotes and line ends so.
    filename: isField ? parameters.get("filename")?.replace(/%(?:22|0D|0A)/g, decodeURIComponent) : undefined,
    mimeType: type === undefined ? undefined : parseHeaderParameters(type).value,
  };
}

async function readText(
  body: AsyncIterable<Buffer>,
  reservation: MultipartOptions<unknown>["reservation"],
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > MAX_FIELD_BYTES)
      throw broken(`A field of the form is longer than ${MAX_FIELD_BYTES / 1024} KiB.`);
    reservation?.add(piece.byteLength);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
