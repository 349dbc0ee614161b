/** Reads one answer of HTTP/1.1 strictly. */

export type WireResponse = {
  status: number;
  /** Names in lower case; values of a repeated header are joined with ", ". */
  headers: ReadonlyMap<string, string>;
  head: string;
  /** Without the marks of chunks. */
  body: Buffer;
};

type Found = { answer: WireResponse; end: number };

const MOST_HEAD_BYTES = 64 * 1024;

/**
 * Returns the missing bytes, at least, while the answer is not whole.
 * @param isOver the bytes are all; a body without a length ends with them
 * @throws if it is no answer of HTTP/1.1
 */
export function parseResponse(bytes: Buffer, method: string, isOver: boolean): Found | number {
  const text = bytes.toString("latin1", 0, MOST_HEAD_BYTES);
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return 1;
  const head = text.slice(0, headEnd);
  const [line = "", ...fields] = head.split("\r\n");
  const status = Number(/^HTTP\/1\.1 ([1-5]\d{2}) [ -~]+$/.exec(line)?.[1] ?? fail(`status line ${line}`));
  const headers = headersOf(fields);
  const from = headEnd + 4;
  const found = (end: number, body: Buffer): Found => ({ answer: { status, headers, head, body }, end });
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== undefined && (coding !== "chunked" || length !== undefined)) fail(head);
  if (length !== undefined && !/^\d+$/.test(length)) fail(head);
  if (status < 200 || status === 204 || status === 304 || method === "HEAD")
    return found(from, Buffer.alloc(0));
  if (coding === "chunked") return readChunks(bytes, from, found);
  if (length === undefined) return isOver ? found(bytes.length, bytes.subarray(from)) : 1;
  const end = from + Number(length);
  return bytes.length < end ? end - bytes.length : found(end, bytes.subarray(from, end));
}

function headersOf(fields: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name = "", value = ""] =
      /^([!#$%&'*+.^_`|~\w-]+): ?([\t -~\x80-\xff]*)$/.exec(field) ?? fail(`field ${field}`);
    const known = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  return headers;
}

function readChunks(
  bytes: Buffer,
  from: number,
  found: (end: number, body: Buffer) => Found,
): Found | number {
  const pieces: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return 1;
    const line = bytes.toString("latin1", at, lineEnd);
    if (!/^[\da-f]+$/i.test(line)) fail(`chunk size ${line}`);
    const size = Number.parseInt(line, 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return end + 2 - bytes.length;
    if (bytes.toString("latin1", end, end + 2) !== "\r\n") fail("chunk without its end");
    if (size === 0) return found(end + 2, Buffer.concat(pieces));
    pieces.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

function fail(what: string): never {
  throw new Error(`no answer of HTTP/1.1: ${JSON.stringify(what.slice(0, 300))}`);
}
