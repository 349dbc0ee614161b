/** Takes a body out of the bytes of its connection: a number of bytes, or chunks (RFC 9112, section 7.1). */
import { CHUNKED } from "./arrival.ts";
import { hasForbidden } from "./head-fields.ts";

export type BodyDecoder = {
  /** Calls `take` for each piece of the body. Returns the number of bytes read. @throws if malformed */
  push(bytes: Uint8Array, take: (piece: Uint8Array) => void): number;
  isDone(): boolean;
  /** Bytes to come; null if unknown. */
  left(): number | null;
};

/** Limits a line with the size of a chunk and its extensions, and all trailers. */
const MOST_LINE_BYTES = 4 * 1024;
const LF = 10;
const SIZE = /^0*([\da-f]{1,12})(?:[ \t]*;.*)?\r\n$/i;
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

type State = "size" | "data" | "data-end" | "trailers" | "done";

function createChunkDecoder(): BodyDecoder {
  let state: State = "size";
  let left = 0;
  let line = "";
  let trailerBytes = 0;

  /** Returns the index after the line's end, or the end of the bytes. */
  function readLine(bytes: Uint8Array, at: number): number {
    const found = bytes.indexOf(LF, at);
    const end = found < 0 ? bytes.length : found + 1;
    if (line.length + end - at > MOST_LINE_BYTES) throw new Error("a line of a chunked body is too long");
    line += Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString("latin1");
    return end;
  }

  function useLine(): void {
    const text = line;
    line = "";
    if (hasForbidden(text)) throw new Error("a line of a chunked body is malformed");
    if (state === "data-end") {
      if (text !== "\r\n") throw new Error("a chunk has another length");
      state = "size";
    } else if (state === "size") {
      const size = SIZE.exec(text);
      if (size === null) throw new Error("a chunk's size is malformed");
      left = Number.parseInt(size[1]!, 16);
      state = left === 0 ? "trailers" : "data";
    } else if (text === "\r\n") {
      state = "done";
    } else {
      trailerBytes += text.length;
      if (!TRAILER.test(text) || trailerBytes > MOST_LINE_BYTES) throw new Error("a trailer is malformed");
    }
  }

  return {
    push(bytes, take) {
      let at = 0;
      while (at < bytes.length && state !== "done") {
        if (state === "data") {
          const end = Math.min(bytes.length, at + left);
          take(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
          left -= end - at;
          at = end;
          if (left === 0) state = "data-end";
        } else {
          at = readLine(bytes, at);
          if (line.endsWith("\n")) useLine();
        }
      }
      return at;
    },
    isDone: () => state === "done",
    left: () => null,
  };
}
