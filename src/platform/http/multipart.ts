/**
 * Streams a multipart/form-data request at the pace of its consumer. A failure ends the file's body, and the consumer
 * has cleaned up before readMultipart rejects. The rest of the request is not read.
 */
import { giveAway } from "../../lib/disposable-bytes.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import type { BodyReservation } from "./body-memory.ts";
import { type BodyReader, type BodyReadQueue, createBodyReader } from "./body-reader.ts";

/**
 * A header value with parameters: `form-data; name="a"; filename="b"`. Names are lower-cased; the first of each counts,
 * but a readable `filename*` (RFC 8187) wins. In quotes a backslash escapes only a quote or a backslash, because old
 * browsers send Windows paths.
 */
type ParameterHeader = { value: string; parameters: ReadonlyMap<string, string> };

const PARAMETER = /;[ \t]*([^\s;="]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"\s]+))/gy;
const SPACE = /[ \t]*/y;
const EXTENDED = /^(utf-8|iso-8859-1)'[^']*'(.*)$/is;

export function parseHeaderParameters(text: string): ParameterHeader {
  const end = text.indexOf(";");
  const value = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
  const plain = new Map<string, string>();
  const extended = new Map<string, string>();
  for (let at = end; at >= 0 && at < text.length; ) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) break;
    const [, key = "", quoted, token = ""] = match;
    const name = key.toLowerCase();
    const given = quoted === undefined ? token : quoted.replace(/\\(["\\])/g, "$1");
    if (!name.endsWith("*")) setOnce(plain, name, given);
    else setOnce(extended, name.slice(0, -1), decodeExtended(given));
    SPACE.lastIndex = PARAMETER.lastIndex;
    SPACE.exec(text);
    at = SPACE.lastIndex;
  }
  return { value, parameters: new Map([...plain, ...extended]) };
}

function setOnce(map: Map<string, string>, name: string, value: string | null): void {
  if (value !== null && !map.has(name)) map.set(name, value);
}

function decodeExtended(text: string): string | null {
  const [, charset = "", coded = ""] = EXTENDED.exec(text) ?? [];
  if (charset === "") return null;
  const bytes = Buffer.from(
    coded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  return bytes.toString(charset.toLowerCase() === "utf-8" ? "utf8" : "latin1");
}

type BodyPart = {
  /** Headers by lower-cased name. The first of each counts. */
  headers: ReadonlyMap<string, string>;
  /** Read it to its end before the next `next`. */
  body: AsyncGenerator<Buffer, void>;
};

export class BrokenMultipart extends Error {}

type MultipartLimits = { headerBytes: number; headers: number };

/** Resolves with the next bytes, whose buffer the reader then owns, or null at the end. */
type ReadBytes = () => Promise<Uint8Array | null>;

const HEAD_END = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);
const CR = 13;

type MultipartReader = ReturnType<typeof createMultipartReader>;

/**
 * Reads a multipart body (RFC 2046, section 5.1; RFC 7578) as its bytes arrive, and gives the pieces away
 * (disposable-bytes.ts). Holds back only bytes that could begin a separator.
 */
export function createMultipartReader(boundary: string, read: ReadBytes, limits: MultipartLimits) {
  const separator = Buffer.from(`\r\n--${boundary}`, "latin1");
  let held: Buffer = NOTHING;
  /** Nobody else has a view of the buffer of `held`. */
  let isOwned = true;
  let state: "preamble" | "head" | "body" | "over" = "preamble";

  const more = async (): Promise<void> => {
    const bytes = await read();
    if (bytes === null) throw new BrokenMultipart("it is cut off");
    isOwned = held.length > 0 || bytes.byteLength === bytes.buffer.byteLength;
    held = joined(held, Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength));
  };

  async function skipPreamble(): Promise<void> {
    // At the beginning a separator has no line break before it.
    const first = separator.subarray(2);
    while (held.length < first.length) await more();
    if (!held.subarray(0, first.length).equals(first)) for await (const _ of untilSeparator());
    else held = held.subarray(first.length);
  }

  async function* untilSeparator(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const piece = held;
      const at = piece.indexOf(separator);
      const end = at >= 0 ? at : piece.length - beginningAtEnd(piece, separator);
      held = piece.subarray(at >= 0 ? at + separator.length : end);
      if (end > 0) {
        const body = piece.subarray(0, end);
        if (isOwned) giveAway(body);
        // The reader of the piece may dispose of it.
        held = copyOf(held);
        isOwned = true;
        yield body;
      }
      if (at >= 0) break;
      await more();
    }
    state = "head";
  }

  async function readHead(): Promise<string | null> {
    while (held.length < 2) await more();
    if (held.toString("latin1", 0, 2) === "--") return null;
    for (;;) {
      const end = held.indexOf(HEAD_END);
      if (Math.max(end, 0) > limits.headerBytes || (end < 0 && held.length > limits.headerBytes)) {
        throw new BrokenMultipart("the head of a part is too long");
      }
      if (end >= 0) {
        const head = held.toString("utf8", 0, end);
        held = held.subarray(end + HEAD_END.length);
        return head;
      }
      await more();
    }
  }

  return {
    /** Resolves with null after the last part. @throws BrokenMultipart, and errors of `read` */
    async next(): Promise<BodyPart | null> {
      if (state === "body") throw new Error("Read the previous part to its end first.");
      if (state === "over") return null;
      if (state === "preamble") await skipPreamble();
      const head = await readHead();
      state = head === null ? "over" : "body";
      return head === null ? null : { headers: parseHead(head, limits.headers), body: untilSeparator() };
    },
  };
}

/** Number of final bytes that could begin a separator. */
function beginningAtEnd(piece: Buffer, separator: Buffer): number {
  let from = Math.max(piece.length - separator.length + 1, 0);
  for (;;) {
    const at = piece.indexOf(CR, from);
    if (at < 0) return 0;
    if (separator.compare(piece, at, piece.length, 0, piece.length - at) === 0) return piece.length - at;
    from = at + 1;
  }
}

const copyOf = (bytes: Buffer): Buffer =>
  bytes.length === 0 ? NOTHING : Buffer.from(new Uint8Array(bytes).buffer);

function joined(first: Buffer, second: Buffer): Buffer {
  if (first.length === 0) return second;
  const both = Buffer.allocUnsafeSlow(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** A line that begins with a blank continues the previous one. */
function parseHead(head: string, mostHeaders: number): Map<string, string> {
  const headers = new Map<string, string>();
  const lines = head
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .filter((line) => line.trim() !== "");
  if (lines.length > mostHeaders) throw new BrokenMultipart("the head of a part has too many lines");
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name !== "" && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

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
  /** Limits the whole form; unbounded by default. */
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
