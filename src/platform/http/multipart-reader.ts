/**
 * Reads a multipart body (RFC 2046, section 5.1; RFC 7578) as its bytes arrive, and gives the pieces away
 * (disposable-bytes.ts). Holds back only bytes that could begin a separator.
 */
import { giveAway } from "../../lib/disposable-bytes.ts";

export type BodyPart = {
  /** By lower-cased name. The first of each counts. */
  headers: ReadonlyMap<string, string>;
  /** Read it to its end before the next `next`. */
  body: AsyncGenerator<Buffer, void>;
};

export class BrokenMultipart extends Error {}

export type MultipartLimits = { headerBytes: number; headers: number };

/** Null at the end. The reader owns the buffer. */
export type ReadBytes = () => Promise<Uint8Array | null>;

const HEAD_END = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);
const CR = 13;

export type MultipartReader = ReturnType<typeof createMultipartReader>;

export function createMultipartReader(boundary: string, read: ReadBytes, limits: MultipartLimits) {
  const separator = Buffer.from(`\r\n--${boundary}`, "latin1");
  // The first separator has no line break before it.
  let held: Buffer = Buffer.from("\r\n");
  let state: "preamble" | "head" | "body" | "over" = "preamble";

  const more = async (): Promise<void> => {
    const bytes = await read();
    if (bytes === null) throw new BrokenMultipart("it is cut off");
    held = joined(held, Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength));
  };

  async function* untilSeparator(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const piece = held;
      const at = piece.indexOf(separator);
      const end = at >= 0 ? at : piece.length - beginningAtEnd(piece, separator);
      // Copy first: the reader of the piece may dispose of it.
      held = copyOf(piece.subarray(at >= 0 ? at + separator.length : end));
      if (end > 0) yield handOn(piece, end);
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
        held = copyOf(held.subarray(end + HEAD_END.length));
        return head;
      }
      await more();
    }
  }

  return {
    /** Null after the last part. @throws BrokenMultipart, and errors of `read` */
    async next(): Promise<BodyPart | null> {
      if (state === "body") throw new Error("Read the previous part to its end first.");
      if (state === "over") return null;
      if (state === "preamble") for await (const _ of untilSeparator());
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

/** A piece that fills its buffer is its only user. */
function handOn(piece: Buffer, end: number): Buffer {
  const body = piece.subarray(0, end);
  return piece.byteLength === piece.buffer.byteLength ? giveAway(body) : body;
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
