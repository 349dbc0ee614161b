/**
 * Requests to URLs that others chose (HTTP/1.1), which reach public addresses only. The name is resolved once, and the
 * connection goes to the address that was checked, so a reply of the name server that changes gains nothing. Redirects
 * are checked like the first URL. One deadline covers everything; head and body are bounded. Own code: agents of
 * `fetch` and `node:http` resolve again, and don't bound heads.
 */
import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { checkHttpUrl } from "./http-url.ts";
import { isPublicAddress } from "./public-address.ts";

export type OutboundRequest = {
  url: string;
  method: "GET" | "HEAD" | "POST";
  /** No line breaks. */
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** From the lookup to the last byte. */
  timeoutMs: number;
  /** The body is cut there. */
  mostBytes: number;
  /** So long after the head, what has come of the body is all of it. Without, the deadline fails the request. */
  bodyMs?: number;
  /** How many redirects of GET and HEAD are followed; 0: none. */
  redirects: number;
};

/** `body`: as it came, with the marks of a chunked one. `url`: where it came from. */
export type OutboundResponse = { url: string; status: number; headers: Headers; body: Buffer };

/** `refused`: it must not be requested. The message explains why, in words for people. */
export class OutboundFailure extends Error {
  readonly reason: "refused" | "failed";
  constructor(reason: "refused" | "failed", message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Rejects with OutboundFailure. */
export type Outbound = (request: OutboundRequest) => Promise<OutboundResponse>;

type Deps = {
  /** All addresses of a name. */
  resolve?: (host: string) => Promise<readonly string[]>;
  isAllowed?: (address: string) => boolean;
  /** Null allows all ports. */
  ports?: readonly number[] | null;
};

/** Others lead to services that never expect such requests. */
const WEB_PORTS = [80, 443, 8080, 8443];
const MOST_HEAD_BYTES = 16 * 1024;
const REDIRECTS = [301, 302, 303, 307, 308];

const failed = (message: string): OutboundFailure => new OutboundFailure("failed", message);
const refused = (message: string): OutboundFailure => new OutboundFailure("refused", message);

const resolveAll = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export function createOutbound({
  resolve = resolveAll,
  isAllowed = isPublicAddress,
  ports = WEB_PORTS,
}: Deps = {}): Outbound {
  async function addressOf({ hostname }: URL): Promise<string> {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const found =
      isIP(host) === 0
        ? await resolve(host).catch(() => {
            throw failed("the host is not found");
          })
        : [host];
    const address = found.find((one) => isAllowed(one));
    if (address !== undefined) return address;
    throw found.length === 0 ? failed("the host has no address") : refused("the address is not public");
  }

  async function askOnce(url: URL, request: OutboundRequest, deadline: AbortSignal) {
    const isTls = url.protocol === "https:";
    const port = Number(url.port) || (isTls ? 443 : 80);
    if (ports?.includes(port) === false) throw refused(`the port ${port} is not asked`);
    const sent = headOf(url, request);
    const host = await beforeDeadline(addressOf(url), deadline);
    const servername = isIP(url.hostname) === 0 && !url.hostname.startsWith("[") ? url.hostname : undefined;
    const socket = isTls
      ? connectTls({ host, port, ...(servername && { servername }), ALPNProtocols: ["http/1.1"] })
      : connect({ host, port });
    const ready = isTls ? "secureConnect" : "connect";
    const response = readResponse(socket, sent, request, { ready, deadline });
    return beforeDeadline(response, deadline).finally(() => socket.destroy());
  }

  return async (request) => {
    const deadline = AbortSignal.timeout(request.timeoutMs);
    let url = request.url;
    for (let hops = 0; ; hops++) {
      if (typeof checkHttpUrl(url) !== "string") throw refused("it is no URL that can be asked");
      const response = { url, ...(await askOnce(new URL(url), request, deadline)) };
      const next = REDIRECTS.includes(response.status) ? response.headers.get("location") : null;
      if (next === null || request.method === "POST" || request.redirects === 0) return response;
      if (hops === request.redirects) throw failed("there are too many redirects");
      url = URL.parse(next, url)?.href ?? "";
    }
  };
}

/** The body without the marks of chunks. */
export function unchunkedBody({ headers, body }: Pick<OutboundResponse, "headers" | "body">): Buffer {
  if (!/\bchunked\b/i.test(headers.get("transfer-encoding") ?? "")) return body;
  const joined = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; ; ) {
    let size = 0;
    for (let digit = hexDigit(body[at]); digit >= 0; digit = hexDigit(body[++at])) size = size * 16 + digit;
    const start = body.indexOf(LF, at) + 1;
    if (size === 0 || start === 0) return joined.subarray(0, length);
    length += body.copy(joined, length, start, Math.min(start + size, body.length));
    at = start + size + 2;
  }
}

const LF = 0x0a;

/** -1: none. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

function beforeDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(failed("there is no answer in time"));
  if (deadline.aborted) stop();
  deadline.addEventListener("abort", stop, { once: true });
  return Promise.race([work, promise]).finally(() => deadline.removeEventListener("abort", stop));
}

function headOf(url: URL, { method, headers = {}, body }: OutboundRequest): string {
  const fields = {
    Host: url.host,
    Connection: "close",
    "Accept-Encoding": "identity",
    ...headers,
    ...(body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${url.pathname}${url.search} HTTP/1.1`, ...lines];
  if (head.some((line) => /[\r\n]/.test(line))) throw refused("a header has a line break");
  return `${head.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

type ReceivedResponse = Omit<OutboundResponse, "url">;

function readResponse(
  socket: Socket,
  sent: string,
  { method, mostBytes, bodyMs }: OutboundRequest,
  { ready, deadline }: { ready: "connect" | "secureConnect"; deadline: AbortSignal },
): Promise<ReceivedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
  let head: Omit<ReceivedResponse, "body"> | null = null;
  /** Heads before the last one. */
  let skipped = 0;
  let length = Number.POSITIVE_INFINITY;
  let read: Buffer = Buffer.alloc(0);
  const body = createGatheredBytes(mostBytes);
  const fail = (error: OutboundFailure) => reject(error);
  const finish = () => head && resolve({ ...head, body: body.upTo(length) });
  socket.once(ready, () => socket.write(sent));
  socket.on("error", (error: NodeJS.ErrnoException) => fail(failed(problemOf(error))));
  socket.once("close", () => {
    finish();
    fail(failed("the connection was closed without an answer"));
  });
  socket.on("data", (bytes: Buffer) => {
    const isBody = head !== null;
    if (!isBody && !readHead(bytes)) return;
    body.add(isBody ? bytes : read);
    if (body.size() >= Math.min(length, mostBytes)) return finish();
    if (isBody || bodyMs === undefined) return;
    setTimeout(finish, bodyMs).unref();
    deadline.addEventListener("abort", finish);
  });
  return promise;

  /** Leaves in `read` what follows the head. False: it is not complete yet, or not taken. */
  function readHead(bytes: Buffer): boolean {
    read = Buffer.concat([read, bytes]);
    while (head === null) {
      const end = read.indexOf("\r\n\r\n");
      if (skipped + (end === -1 ? read.length : end) > MOST_HEAD_BYTES) {
        fail(failed("the head of the answer is too large"));
        return false;
      }
      if (end === -1) return false;
      const found = parseHead(read.toString("latin1", 0, end));
      if (found === null) {
        fail(failed("the answer is not HTTP"));
        return false;
      }
      read = read.subarray(end + 4);
      skipped += end + 4;
      // 1xx: the response follows.
      if (found.status >= 200) head = found;
    }
    const hasNoBody = method === "HEAD" || head.status === 204 || head.status === 304;
    const given = head.headers.get("content-length") ?? "";
    length = hasNoBody ? 0 : /^\d{1,15}$/.test(given) ? Number(given) : Number.POSITIVE_INFINITY;
    return true;
  }
}

/** One piece whose room doubles: joined anew at each packet, a body would be copied by the square of its length. */
function createGatheredBytes(most: number) {
  let bytes: Buffer = Buffer.alloc(0);
  let size = 0;
  return {
    size: () => size,
    /** Drops what is beyond the most. */
    add(piece: Buffer): void {
      const taken = piece.subarray(0, most - size);
      if (size + taken.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(most, Math.max(size + taken.length, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      bytes.set(taken, size);
      size += taken.length;
    },
    upTo: (end: number): Buffer => bytes.subarray(0, Math.min(end, size)),
  };
}

function parseHead(text: string): Omit<ReceivedResponse, "body"> | null {
  const [first = "", ...lines] = text.split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1] ?? 0);
  if (status < 100) return null;
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch {
      return null;
    }
  }
  return { status, headers };
}

function problemOf({ code = "" }: NodeJS.ErrnoException): string {
  if (code === "ECONNREFUSED") return "the connection is refused";
  if (/CERT|SSL|TLS|ALTNAME|SIGNATURE/.test(code)) return "the certificate is not valid";
  return "the connection failed";
}
