/**
 * Requests that come one after another. Those that are handled in place leave in one write, until the bytes end, a
 * request takes its time or has a body, or others have waited for long.
 */
import { inPlaceText, keptBytes } from "./response-head.ts";
import type { Arrival, ArrivalContext } from "./arrival.ts";
import type { ConnectionOwner } from "./connection-owner.ts";
import type { Deadlines } from "./deadlines.ts";
import { hasBareLineEnd } from "./head-fields.ts";
import type { Inflow } from "./inflow.ts";
import type { Outbox } from "./outbox.ts";
import { type BadHead, MOST_HEAD_BYTES, readHead } from "./read-head.ts";

/** What a pipeline needs of its connection. */
export type PipelineContext = ArrivalContext & {
  readonly inflow: Inflow;
  readonly outbox: Outbox;
  readonly deadlines: Deadlines;
  readonly owner: Pick<ConnectionOwner<never>, "respond" | "isLeaving">;
  refuse(status: BadHead): void;
  end(): void;
  beginBody(arrival: Arrival, rest: Buffer): void;
  finish(arrival: Arrival, response: Response | Promise<Response>): Promise<void>;
  giveWay(): void;
};

/** Read in one look for heads. */
const MOST_TEXT_BYTES = 128 * 1024;
/** Responses in place that leave in one write. What the client does not take ends the look. */
const MOST_JOINED_CHARACTERS = 64 * 1024;
const HEAD_END = "\r\n\r\n";
/** Others come in between after this time, which is looked at every so many requests: a single one reads no clock. */
const TURN_MS = 5;
const REQUESTS_PER_LOOK = 32;

/**
 * @param given bytes from the start of a head on, behind those that are held
 * @param until the end of the turn; 0: it has just begun
 */
export function readPipeline(given: Buffer, connection: PipelineContext, until = 0): void {
  const { inflow, outbox, deadlines, owner } = connection;
  const held = inflow.take();
  const bytes = held === null ? given : Buffer.concat([held, given]);
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, MOST_TEXT_BYTES));
  let at = 0;
  let out = "";
  let count = 0;
  let end = until;
  while (at < text.length) {
    if (++count % REQUESTS_PER_LOOK === 0) {
      if (end === 0) end = performance.now() + TURN_MS;
      else if (performance.now() > end) {
        outbox.sendText(out);
        inflow.hold(bytes.subarray(at));
        return connection.giveWay();
      }
    }
    // RFC 9112, section 2.2: an empty line before a request is ignored.
    if (text.startsWith("\r\n", at)) {
      at += 2;
      deadlines.begin();
      continue;
    }
    const headEnd = text.indexOf(HEAD_END, at);
    if (headEnd < 0) break;
    const next = headEnd + HEAD_END.length;
    // A slice keeps the whole text as long as anything keeps a part of it. A short one may.
    const head = text.length > MOST_HEAD_BYTES ? bytes.toString("latin1", at, next) : text.slice(at, next);
    const arrival = readHead(head, connection);
    if (typeof arrival === "number") {
      outbox.sendText(out);
      return connection.refuse(arrival);
    }
    at = next;
    deadlines.complete();
    if (arrival.bodyLength !== 0) {
      outbox.sendText(out);
      return connection.beginBody(arrival, bytes.subarray(at));
    }
    const response = owner.respond(arrival);
    if (response !== arrival.standIn) {
      outbox.sendText(out);
      inflow.hold(bytes.subarray(at));
      return void connection.finish(arrival, response);
    }
    const persists = arrival.isPersistent && !owner.isLeaving();
    const kept = persists ? keptBytes(arrival) : null;
    if (kept === null) {
      out += inPlaceText(arrival, persists);
      if (persists && out.length < MOST_JOINED_CHARACTERS) continue;
    }
    outbox.sendText(out);
    out = "";
    if (!persists) return connection.end();
    if (kept !== null) outbox.send(kept);
    if (!outbox.isEmpty()) break;
  }
  outbox.sendText(out);
  if (!outbox.isEmpty()) inflow.hold(bytes.subarray(at));
  else if (at > 0 && text.length < bytes.length) readPipeline(bytes.subarray(at), connection, end);
  else if (at < bytes.length) keepHead(at === 0 ? bytes : bytes.subarray(at), connection);
}

/** The part of a head that has come. */
function keepHead(part: Buffer, connection: PipelineContext): void {
  if (part.length > MOST_HEAD_BYTES) return connection.refuse(431);
  // A head with other line ends would never be complete.
  if (hasBareLineEnd(part.toString("latin1"))) return connection.refuse(400);
  connection.deadlines.begin();
  connection.inflow.hold(part);
}
