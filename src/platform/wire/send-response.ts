/** Sends a response with its length if that is known, else in chunks. */
import { filePartOf } from "../../lib/file-response.ts";
import { sharedBytesOf } from "../../lib/shared-bytes.ts";
import { wholeBodyOf } from "../../lib/whole-response.ts";
import { responseHead } from "./response-head.ts";
import type { Arrival } from "./arrival.ts";
import { MOST_JOINED_BYTES, type Outbox } from "./outbox.ts";
import { canSendFiles, openFilePart } from "./send-file.ts";

export type ResponseTarget = {
  outbox: Outbox;
  socket: { readonly fd: number };
  /** Without TLS the system can send files to it. */
  isPlain: boolean;
  /** Something of the response was taken. */
  progressed(): void;
};

export type RequestFacts = Pick<Arrival, "method" | "minor" | "isPersistent" | "made"> & {
  /** What `made` is made from: the Arrival. */
  source: object;
};

/** A copy of shared bytes for a client that may not read it. */
const MOST_COPIED_BYTES = 4 * 1024;
const LAST_CHUNK = Buffer.from("0\r\n\r\n");
const CHUNK_END = Buffer.from("\r\n");

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Resolves with false when the connection must end. Rejects if the body fails: then cut the connection. */
export async function sendResponse(
  response: Response,
  facts: RequestFacts,
  target: ResponseTarget,
): Promise<boolean> {
  const { status } = response;
  const whole = wholeBodyOf(response);
  if (whole !== undefined && status !== 204 && status !== 304)
    return sendWhole(response, whole, facts, target);
  const known = lengthIn(response);
  if (facts.method === "HEAD" || status === 204 || status === 304 || response.body === null) {
    const length = status === 204 || status === 304 ? null : (known ?? (await lengthOf(response)));
    await response.body?.cancel();
    target.outbox.send(headOf(response, facts, length, false));
    return facts.isPersistent;
  }
  const shared = sharedBytesOf(facts.made, response);
  if (shared !== undefined) {
    const pieces = [headOf(response, facts, shared.length, false), shared];
    sendJoined(target.outbox, pieces, MOST_COPIED_BYTES);
    await target.outbox.sent();
    return facts.isPersistent;
  }
  const part = target.isPlain && canSendFiles() ? filePartIn(facts, response) : undefined;
  if (part !== undefined) {
    const file = openFilePart(part);
    try {
      target.outbox.send(headOf(response, facts, part.length, false));
      await target.outbox.sent();
      await file.send(target.socket, target.outbox, target.progressed);
      return facts.isPersistent;
    } finally {
      file.close();
    }
  }
  const reader: Reader = response.body.getReader();
  // The body may be silent for long. A read under way ends with it.
  target.outbox.onClose(() => void reader.cancel().catch(() => undefined));
  try {
    return await relay(reader, response, facts, target, known);
  } finally {
    target.outbox.onClose(null);
  }
}

const filePartIn = ({ source, made }: RequestFacts, response: Response) =>
  filePartOf(source, response) ?? (made === null ? undefined : filePartOf(made, response));

/** A text leaves with its head in one write. */
async function sendWhole(
  response: Response,
  body: string | Uint8Array,
  facts: RequestFacts,
  { outbox }: ResponseTarget,
): Promise<boolean> {
  const length = Buffer.byteLength(body);
  const head = responseHead(response, { ...facts, length, isChunked: false });
  const size = head.length + length;
  if (facts.method === "HEAD") outbox.sendText(head);
  else if (typeof body === "string" && size <= MOST_JOINED_BYTES) outbox.sendPage(head, body, size);
  else sendJoined(outbox, [Buffer.from(head, "latin1"), typeof body === "string" ? Buffer.from(body) : body]);
  await outbox.sent();
  return facts.isPersistent;
}

function lengthIn({ headers }: Response): number | null {
  const text = headers.get("content-length");
  return text === null ? null : Number(text);
}

/** Finds the length for HEAD; null for a stream. */
async function lengthOf(response: Response): Promise<number | null> {
  if (response.body === null) return 0;
  const reader: Reader = response.body.getReader();
  const begun = await begin(reader);
  reader.releaseLock();
  return begun.isWhole ? begun.bytes.length : null;
}

type Read = Awaited<ReturnType<Reader["read"]>>;
type Begun = { bytes: Uint8Array; isWhole: boolean; next: Promise<Read> };

/** Largest body in memory that is sent with its length. */
const MOST_GATHERED_BYTES = 16 * 1024 * 1024;

/** Gathers what is there at once: all of a body in memory, a part of a stream. */
async function begin(reader: Reader): Promise<Begun> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const begun = (next: Promise<Read>, isWhole: boolean) => ({ bytes: Buffer.concat(pieces), isWhole, next });
  for (let next = quietly(reader.read()); ; next = quietly(reader.read())) {
    if (size === 0) await new Promise(setImmediate);
    else await Promise.resolve();
    if (Bun.peek.status(next) !== "fulfilled" || size > MOST_GATHERED_BYTES) return begun(next, false);
    const { done, value } = await next;
    if (done) return begun(next, true);
    // A stream may dispose of a piece when the next one is requested.
    pieces.push(new Uint8Array(value));
    size += value.length;
  }
}

/** Keeps its failure from being unhandled; who awaits it gets it. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

async function relay(
  reader: Reader,
  response: Response,
  facts: RequestFacts,
  target: ResponseTarget,
  known: number | null,
): Promise<boolean> {
  const { outbox, progressed } = target;
  const begun = known === null ? await begin(reader) : null;
  const length = known ?? (begun!.isWhole ? begun!.bytes.length : null);
  const isChunked = length === null && facts.minor === 1;
  const isPersistent = facts.isPersistent && (length !== null || isChunked);
  const head = headOf(response, { ...facts, isPersistent }, length, isChunked);
  let left = length ?? Number.POSITIVE_INFINITY;
  if (begun?.isWhole) {
    sendJoined(outbox, [head, begun.bytes]);
    await outbox.sent();
    return isPersistent;
  }
  outbox.send(head);

  async function send(piece: Uint8Array): Promise<void> {
    left -= piece.length;
    if (left < 0) throw wrongLength();
    if (piece.length === 0) return;
    if (isChunked) sendJoined(outbox, [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, CHUNK_END]);
    else outbox.send(piece);
    await outbox.sent();
    progressed();
  }

  if (begun !== null) await send(begun.bytes);
  const read = () => quietly(reader.read());
  for (let next = begun?.next ?? read(); !outbox.isClosed(); next = read()) {
    const { done, value } = await next;
    if (done) {
      if (length !== null && left > 0) throw wrongLength();
      if (isChunked) outbox.send(LAST_CHUNK);
      await outbox.sent();
      return isPersistent;
    }
    await send(value);
  }
  return false;
}

const wrongLength = (): Error => new Error("an answer has another length than it says");

/** Sends in one write, unless copying costs more. */
function sendJoined(outbox: Outbox, pieces: readonly Uint8Array[], most = MOST_JOINED_BYTES): void {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (size <= most) outbox.send(Buffer.concat(pieces));
  else for (const piece of pieces) outbox.send(piece);
}

const headOf = (response: Response, facts: RequestFacts, length: number | null, isChunked: boolean): Buffer =>
  Buffer.from(responseHead(response, { ...facts, length, isChunked }), "latin1");
