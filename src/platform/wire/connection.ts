/**
 * One connection: requests come in, responses leave in the same order. What is handled in place leaves at once, many of
 * a pipeline in one write. Everything else takes its time, and the connection reads no further request meanwhile.
 */
import { inPlaceText } from "./response-head.ts";
import { type Arrival, CHUNKED } from "./arrival.ts";
import { createBodyDecoder } from "./body-decoder.ts";
import type { ConnectionOwner, WireSocket } from "./connection-owner.ts";
import { createDeadlines, type Deadlines } from "./deadlines.ts";
import { createInflow, type Inflow } from "./inflow.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { type PipelineContext, readPipeline } from "./pipeline.ts";
import type { BadHead } from "./read-head.ts";
import { createRequestBody, type RequestBody } from "./request-body.ts";
import { type RequestFacts, sendResponse } from "./send-response.ts";

/** A longer body is a stream, also when all of it came with the head. */
const MOST_ARRIVED_BYTES = 16 * 1024;

export class Connection implements PipelineContext {
  bodyStream: ReadableStream<Uint8Array> | null = null;
  readonly outbox: Outbox;
  readonly deadlines: Deadlines;
  readonly scheme: ConnectionOwner<Connection>["scheme"];
  readonly peerAddress: string | null;
  readonly #socket: WireSocket;
  readonly owner: ConnectionOwner<Connection>;
  readonly inflow: Inflow;
  /** That has not arrived as a whole. */
  #body: RequestBody | null = null;
  #isBusy = false;
  /** No further request is read. */
  #isEnding = false;
  #hasEnded = false;
  #isClosed = false;
  #leaving: AbortController | null = null;
  /** The request under way changes nothing. */
  #isRead = false;
  /** Under way. */
  #request: Request | null = null;
  #responded: PromiseWithResolvers<boolean> | null = null;

  constructor(socket: WireSocket, owner: ConnectionOwner<Connection>) {
    this.#socket = socket;
    this.owner = owner;
    this.scheme = owner.scheme;
    // Not known any more when the client has left.
    this.peerAddress = owner.isUnix ? null : socket.remoteAddress;
    this.outbox = createOutbox(socket, () => queueMicrotask(() => this.cut()), owner.unread);
    this.deadlines = createDeadlines(owner, (isWaiting) => owner.waits(this, isWaiting));
    this.inflow = createInflow(socket);
  }

  /** A response is under way. */
  isBusy(): boolean {
    return this.#isBusy || !this.outbox.isEmpty();
  }

  /** Nothing of a further request has come. */
  isIdle(): boolean {
    return !this.isBusy() && !this.#isEnding && this.inflow.isEmpty() && this.#body === null;
  }

  signal(isRead: boolean): AbortSignal {
    this.#leaving ??= new AbortController();
    this.#isRead = isRead;
    if (this.#isClosed || (this.#hasEnded && !isRead)) this.#leaving.abort();
    return this.#leaving.signal;
  }

  made(request: Request): void {
    this.#request = request;
    this.owner.requested(request, this);
  }

  isResponding(request: Request): boolean {
    return !this.#isClosed && this.#request === request;
  }

  responded(request: Request): Promise<boolean> {
    if (!this.isResponding(request)) return Promise.resolve(false);
    return (this.#responded ??= Promise.withResolvers()).promise;
  }

  cut(): void {
    if (this.#isClosed) return;
    this.#socket.terminate();
    this.closed();
  }

  /** At once, if it is idle and plain. */
  close(): void {
    // Over TLS the socket would wait for the client, and hold the process.
    if (!this.isIdle() || this.scheme === "https") return this.end();
    this.#isEnding = true;
    this.#socket.end();
  }

  /** After the last response: the client may send what it likes and read the response before the connection is gone. */
  end(): void {
    if (this.#isClosed) return;
    this.#isEnding = true;
    const sent = this.outbox.sent();
    if (sent !== undefined) return void sent.then(() => this.end());
    this.inflow.take();
    this.deadlines.linger();
    if (this.#hasEnded) return void this.#socket.end();
    // Some clients drop the response when the end comes before they have sent their body. The rest of it is dropped.
    if (this.#body === null) this.#socket.shutdown();
    this.#body?.discard();
    this.inflow.resume();
  }

  /** The runtime has bytes. */
  data(bytes: Buffer): void {
    this.deadlines.touch();
    const rest = this.#body === null ? bytes : bytes.subarray(this.#takeBody(this.#body, bytes));
    if (rest.length === 0 || this.#isEnding) return;
    if (this.isBusy()) this.inflow.hold(rest);
    else readPipeline(rest, this);
  }

  /** The system takes bytes again. */
  drain(): void {
    this.deadlines.touch();
    this.outbox.drain();
    if (!this.isBusy()) this.#readHeld();
  }

  /** The client sends no more. It has left, or waits for its response: a read goes on until the response shows it. */
  ended(): void {
    this.#hasEnded = true;
    this.#body?.leave();
    if (!this.#isRead) this.#leaving?.abort();
    if (!this.isBusy()) this.end();
  }

  /** The connection is gone. */
  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isEnding = true;
    this.inflow.close();
    this.outbox.close();
    this.#body?.leave();
    this.#leaving?.abort();
    this.#responded?.resolve(false);
    this.owner.closed(this);
  }

  #readHeld(): void {
    this.inflow.resume();
    const held = this.inflow.take();
    if (this.#isEnding) return;
    if (held !== null) readPipeline(held, this);
    if ((this.#hasEnded || this.owner.isStopping()) && !this.isBusy()) this.end();
  }

  /** Others come in between, then the requests that are held are read. */
  giveWay(): void {
    this.#isBusy = true;
    setImmediate(() => {
      this.#isBusy = false;
      if (this.outbox.isEmpty()) this.#readHeld();
    });
  }

  /** Responds, and ends the connection. */
  refuse(status: BadHead | 503): void {
    this.#isEnding = true;
    this.#isBusy = true;
    const facts = { method: "GET", minor: 1, isPersistent: false, made: null };
    void this.#send(this.owner.refuse(status), facts).finally(() => (this.#isBusy = false));
  }

  /** @param rest what came with the head */
  beginBody(arrival: Arrival, rest: Buffer): void {
    const { bodyLength } = arrival;
    if (bodyLength !== CHUNKED && bodyLength <= Math.min(rest.length, MOST_ARRIVED_BYTES)) {
      // A copy, because a part would keep all that came with it.
      arrival.arrived = new Uint8Array(rest.subarray(0, bodyLength));
      this.inflow.hold(rest.subarray(bodyLength));
      return void this.finish(arrival, this.owner.respond(arrival));
    }
    const body = createRequestBody({
      decoder: createBodyDecoder(bodyLength),
      pause: this.inflow.pause,
      resume: this.inflow.resume,
      expectsContinue: arrival.minor === 1 && arrival.get("expect")?.toLowerCase() === "100-continue",
      send: this.outbox.send,
    });
    this.#body = body;
    this.bodyStream = body.stream;
    this.#isBusy = true;
    const left = rest.subarray(this.#takeBody(body, rest));
    if (!this.#isEnding) this.inflow.hold(left);
    if (this.#body !== null) this.inflow.pause();
    // Nothing of it will come.
    if (this.#hasEnded) body.leave();
    void this.finish(arrival, this.owner.respond(arrival));
  }

  #takeBody(body: RequestBody, bytes: Buffer): number {
    const taken = body.push(bytes);
    if (body.isBroken()) this.#isEnding = true;
    if (body.isBroken() || body.isComplete()) {
      this.#body = null;
      this.deadlines.complete();
      this.inflow.resume();
      if (this.#isEnding && !this.#isBusy) this.end();
    }
    return taken;
  }

  async finish(arrival: Arrival, pending: Response | Promise<Response>): Promise<void> {
    this.#isBusy = true;
    this.owner.begun();
    try {
      const response = await pending;
      if (response === arrival.standIn) this.#sendInPlace(arrival);
      else await this.#send(response, arrival);
    } finally {
      this.owner.done();
    }
    this.#leaving = null;
    this.#request = null;
    this.#responded?.resolve(true);
    this.#responded = null;
    this.bodyStream = null;
    this.#isBusy = false;
    if (this.#isEnding) return;
    if (this.owner.isStopping()) return this.end();
    this.deadlines.reset();
    if (this.#body !== null) this.deadlines.begin();
    this.#body?.discard();
    if (!this.outbox.isEmpty()) return;
    // Many such responses in a row would hold the event loop.
    if (this.inflow.isEmpty()) this.#readHeld();
    else this.giveWay();
  }

  #sendInPlace(arrival: Arrival): void {
    const persists = arrival.isPersistent && !this.#mustEnd();
    this.outbox.sendText(inPlaceText(arrival, persists));
    if (!persists) this.end();
  }

  async #send(response: Response, request: Omit<RequestFacts, "source">): Promise<void> {
    const { method, minor, made } = request;
    const isPersistent =
      request.isPersistent && !this.#mustEnd() && response.headers.get("connection") !== "close";
    try {
      const target = {
        outbox: this.outbox,
        socket: this.#socket,
        isPlain: this.owner.scheme === "http",
        progressed: () => this.deadlines.touch(),
      };
      const facts = { method, minor, isPersistent, made, source: request };
      const persists = await sendResponse(response, facts, target);
      if (!persists) this.end();
    } catch {
      // The client must not take a part for the whole.
      this.cut();
    }
  }

  #mustEnd(): boolean {
    if (this.#isEnding || this.owner.isLeaving()) return true;
    return this.#body !== null && (this.deadlines.hasCut() || !this.#body.canBeDropped());
  }
}
