/**
 * Streams a multipart/form-data request at the pace of its consumer. A failure ends the file's body, and the consumer
 * has cleaned up before readMultipart rejects. The rest of the request is not read.
 */
import { type AppError, appError } from "../../lib/errors.ts";
import { parseHeaderParameters } from "./header-parameters.ts";
import {
  type BodyPart,
  BrokenMultipart,
  createMultipartReader,
  type MultipartReader,
} from "./multipart-reader.ts";
import type { BodyReservation } from "./body-memory.ts";
import { type BodyReader, createBodyReader, type BodyReadQueue } from "./body-reader.ts";

export type FilePart = {
  /** Empty if the part has none. */
  field: string;
  /** Unchecked, with browsers' escapes undone. */
  filename: string | undefined;
  /** Lower-cased, without parameters. */
  mimeType: string | undefined;
  /** Throws if the upload fails. For a large file dispose of the pieces (lib/disposable-bytes.ts). */
  body: AsyncIterable<Buffer>;
};

export type MultipartOptions<T> = {
  /** Must read the body to its end, or throw, which fails the upload. */
  onFile(part: FilePart): Promise<T>;
  /** Default 1. */
  mostFiles?: number;
  /** Fields that are files even without a filename. */
  isFile?: (field: string) => boolean;
  /** Longest silence of the client; default half a minute. */
  stallMs?: number;
  /** For the whole form; unbounded by default. */
  sendMs?: number;
  readQueue?: BodyReadQueue;
  /** Bounds the form's texts in memory. */
  reservation?: Pick<BodyReservation, "add">;
};

export type MultipartForm<T> = {
  /** The last value of a repeated field. */
  fields: ReadonlyMap<string, string>;
  /** Result of onFile, of the last file. */
  file: T | undefined;
};

const STALL_MS = 30_000;
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 64 * 1024;
const LIMITS = { headerBytes: 16 * 1024, headers: 32 };
/** A larger body besides its file is refused. */
export const MAX_BYTES_BESIDE_FILE = 1024 * 1024;

const broken = (message: string, cause?: unknown): AppError =>
  appError("InvalidMultipartData", message, { cause });

/** @throws InvalidMultipartData, or the error of onFile */
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

/** With deadlines, and counted apart from the file's bytes. */
function createSource(
  reader: BodyReader,
  { stallMs = STALL_MS, sendMs }: Pick<MultipartOptions<unknown>, "stallMs" | "sendMs">,
) {
  const end = sendMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + sendMs;
  let received = 0;
  let inFile = 0;

  /** Ends the running read. */
  let giveUp: ((reason: unknown) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** One timer for all reads with the same deadline: there are tens of thousands. */
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
    async read(): Promise<Uint8Array | null> {
      // The file's earlier bytes are already passed on.
      if (received - inFile > MAX_BYTES_BESIDE_FILE)
        throw broken("The form has too much data besides its file.");
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
  { onFile, mostFiles = 1, isFile, reservation }: MultipartOptions<T>,
): Promise<MultipartForm<T>> {
  const fields = new Map<string, string>();
  let file: { result: T } | undefined;
  for (let others = 0, files = 0; ; ) {
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
    files++;
    if (files > mostFiles) {
      const [more, some] = mostFiles === 1 ? ["one file", "one"] : [`${mostFiles} files`, "fewer"];
      throw broken(`The form has more than ${more}; send ${some}.`);
    }
    file = { result: await onFile({ field: field ?? "", filename, mimeType, body: source.file(part.body) }) };
  }
}

/** A part that is not form data has neither name. */
function describePart({ headers }: BodyPart) {
  const { value, parameters } = parseHeaderParameters(headers.get("content-disposition") ?? "");
  const type = headers.get("content-type");
  const isField = value === "form-data";
  return {
    field: isField ? parameters.get("name") : undefined,
    // Browsers escape quotes and line ends like this.
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
