/**
 * A request as it arrived. A redirect reads it in place; others make a `Request`, whose headers alone cost
 * microseconds.
 */
import { appError } from "../../lib/errors.ts";
import { normalisedTarget } from "../../lib/request-target.ts";
import { eachField, findField } from "./head-fields.ts";

/** A body in chunks. */
export const CHUNKED = -1;

export type ArrivalContext = {
  scheme: "http" | "https";
  /** Null on a unix socket. */
  readonly peerAddress: string | null;
  /** The signal of the body and of a Request. `isRead`: the method is GET or HEAD. */
  signal(isRead: boolean): AbortSignal;
  readonly bodyStream: ReadableStream<Uint8Array> | null;
  /** Called once, when the Request is made. */
  made(request: Request): void;
};

/** Paths and queries that a URL keeps as they are: no escapes in the path, no segment that begins with a dot. */
const PLAIN = /^(?:\/(?!\.)[\w\-.~:,;!*()@$+=&]*)+(?:\?[\w\-.~/?&=%+:,;!*()@$]*)?$/;

/** The valid one that came last. */
let lastHost = "";

/** Returned for responses in place: see `respondInPlace`. */
const standIns: Response[] = [];

export class Arrival {
  /** The body, if all of it came with the head. */
  arrived: Uint8Array<ArrayBuffer> | null = null;
  /** What `respondInPlace` returned. */
  standIn: Response | null = null;
  status = 0;
  fields = "";
  content = "";
  made: Request | null = null;
  #path: string | null = null;

  /**
   * @param head of the request, with its empty line
   * @param fieldsStart index in it
   * @param target in origin form
   * @param host null or empty without one
   * @param minor of HTTP/1.x
   * @param bodyLength bytes, or CHUNKED
   */
  constructor(
    readonly context: ArrivalContext,
    readonly head: string,
    readonly fieldsStart: number,
    readonly method: string,
    readonly target: string,
    readonly host: string | null,
    readonly minor: number,
    readonly bodyLength: number,
    readonly isPersistent: boolean,
  ) {}

  /** As `Headers.get` with a name in lower case. */
  get(name: string): string | null {
    return findField(this.head, this.fieldsStart, name);
  }

  get headers(): Pick<Headers, "get"> {
    return this;
  }

  /** Address of the peer, null on a unix socket. */
  get peerAddress(): string | null {
    return this.context.peerAddress;
  }

  /** The path normalised as in a URL, and the query as it came. */
  get path(): string {
    this.#path ??= PLAIN.test(this.target) ? this.target : normalisedTarget(this.target);
    return this.#path;
  }

  /** As of a Request: the bare path without a host. */
  get url(): string {
    return this.host ? `${this.context.scheme}://${this.host.toLowerCase()}${this.path}` : this.path;
  }

  /**
   * Responds without a Response of its own, which would be most of the cost of a redirect. Return the result, which has
   * the status and nothing else. `fields` are lines with CR LF. `content` has one byte a character (`latin1`), as
   * `fields`.
   */
  respondInPlace(status: number, fields: string, content = ""): Response {
    const standIn = (standIns[status] ??= new Response(null, { status }));
    this.standIn = standIn;
    this.status = status;
    this.fields = fields;
    this.content = content;
    return standIn;
  }

  /** @throws BadRequest with a host that no URL can have */
  validateHost(): void {
    const { host } = this;
    if (!host || host === lastHost) return;
    if (!URL.canParse(`http://${host}/`))
      throw appError("BadRequest", "The Host header of the request is malformed.");
    lastHost = host;
  }

  /** Always the same one. @throws BadRequest with a host that no URL can have */
  request(): Request {
    this.made ??= this.#make();
    return this.made;
  }

  /** Aborted when the client leaves. */
  signal(): AbortSignal {
    return this.context.signal(this.method === "GET" || this.method === "HEAD");
  }

  #make(): Request {
    const { method, path, host } = this;
    const headers = new Headers();
    eachField(this.head, this.fieldsStart, (name, value) => headers.append(name, value));
    const hasBody = this.bodyLength !== 0;
    const init: RequestInit & { duplex: "half" } = {
      method: hasBody && method === "GET" ? "POST" : method,
      headers,
      body: hasBody ? (this.arrived ?? this.context.bodyStream) : null,
      signal: this.signal(),
      duplex: "half",
    };
    this.validateHost();
    const request = new Request(`${this.context.scheme}://${host || "localhost"}${path}`, init);
    // The constructor knows few methods.
    if (request.method !== method) Object.defineProperty(request, "method", { value: method });
    // Without a host, addresses in responses come from the settings.
    if (!host) Object.defineProperty(request, "url", { value: path });
    this.context.made(request);
    return request;
  }
}
