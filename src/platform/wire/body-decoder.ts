/** Takes a body out of the bytes of its connection: a number of bytes, or chunks (RFC 9112, section 7.1). */
import { CHUNKED } from "./arrival.ts";
import { hasForbidden } from "./head-fields.ts";

export type BodyDecoder = {
  /** Calls `take` once with what is of the body, and may change the bytes. Returns the number read. @throws if malformed */
  push(bytes: Uint8Array, take: (piece: Uint8Array) => void): number;
  isDone(): boolean;
  /** Bytes to come; null if unknown. */
  left(): number | null;
};

/** Bounds a line with the size of a chunk and its extensions, and all trailers. */
const MOST_LINE_BYTES = 4 * 1024;
const LARGEST_CHUNK = 2 ** 48;
const [TAB, LF, CR, BLANK, SEMICOLON, DEL] = [9, 10, 13, 32, 59, 127];
const TRAILER = /^[!#$%&'*+.^_`|~\w-]+:.*\r\n$/;

export const createBodyDecoder = (length: number): BodyDecoder =>
  length === CHUNKED ? createChunkDecoder() : createLengthDecoder(length);

function createLengthDecoder(length: number): BodyDecoder {
  let left = length;
  return {
    push(bytes, take) {
      const taken = Math.min(left, bytes.length);
      left -= taken;
      if (taken > 0) take(taken === bytes.length ? bytes : bytes.subarray(0, taken));
      return taken;
    },
    isDone: () => left === 0,
    left: () => left,
  };
}

/** `blanks` may follow a size before its extension. `end` follows CR. */
type State = "size" | "blanks" | "extension" | "end" | "data" | "data-end" | "trailers" | "done";

function createChunkDecoder(): BodyDecoder {
  let state: State = "size";
  let left = 0;
  let hasDigit = false;
  let line = "";
  let lineBytes = 0;
  let trailerBytes = 0;

  /** Takes one byte of a line with a size. Chunks may be one byte, so no text and no expression is made of it. */
  function readSize(byte: number): void {
    if (++lineBytes > MOST_LINE_BYTES) throw malformed("size");
    if (state === "end") {
      if (byte !== LF) throw malformed("size");
      state = left === 0 ? "trailers" : "data";
      hasDigit = false;
      lineBytes = 0;
    } else if (byte === CR && hasDigit && state !== "blanks") {
      state = "end";
    } else if (state === "extension") {
      if ((byte < BLANK && byte !== TAB) || byte === DEL) throw malformed("extension");
    } else if (byte === SEMICOLON && hasDigit) {
      state = "extension";
    } else if ((byte === BLANK || byte === TAB) && hasDigit) {
      state = "blanks";
    } else {
      const digit = state === "size" ? hexOf(byte) : -1;
      if (digit < 0) throw malformed("size");
      left = left * 16 + digit;
      hasDigit = true;
      if (left >= LARGEST_CHUNK) throw malformed("size");
    }
  }

  /** CR, then LF. */
  function readDataEnd(byte: number): void {
    if (byte !== (lineBytes === 0 ? CR : LF)) throw malformed("length");
    lineBytes = 1 - lineBytes;
    if (lineBytes === 0) state = "size";
  }

  /** Returns the index after the line's end, or the end of the bytes. */
  function readTrailer(bytes: Uint8Array, at: number): number {
    const found = bytes.indexOf(LF, at);
    const end = found < 0 ? bytes.length : found + 1;
    trailerBytes += end - at;
    if (trailerBytes > MOST_LINE_BYTES) throw malformed("trailer");
    line += Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString("latin1");
    if (found < 0) return end;
    if (line === "\r\n") state = "done";
    else if (hasForbidden(line) || !TRAILER.test(line)) throw malformed("trailer");
    line = "";
    return end;
  }

  return {
    push(bytes, take) {
      let at = 0;
      // What has been read of the body is moved together in place.
      let [from, to] = [0, 0];
      while (at < bytes.length && state !== "done") {
        if (state === "data") {
          const end = Math.min(bytes.length, at + left);
          if (from === to) from = to = at;
          else bytes.copyWithin(to, at, end);
          to += end - at;
          left -= end - at;
          at = end;
          if (left === 0) state = "data-end";
        } else if (state === "trailers") at = readTrailer(bytes, at);
        else if (state === "data-end") readDataEnd(bytes[at++]!);
        else readSize(bytes[at++]!);
      }
      if (to > from) take(to - from === bytes.length ? bytes : bytes.subarray(from, to));
      return at;
    },
    isDone: () => state === "done",
    left: () => null,
  };
}

const malformed = (what: string): Error => new Error(`the ${what} of a chunk is malformed`);

/** -1: none. */
function hexOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
