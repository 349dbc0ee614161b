/**
 * Streams with their Content-Length. The runtime drops it from every streamed answer, so these are written past it to a
 * second descriptor of the connection, which ends with the answer. An answer keeps the runtime's way, chunked, over TLS,
 * on a unix socket, and where the system does not allow it.
 */
import type { Server } from "bun";
import { duplicateConnection } from "../lib/accepted-connection.ts";
import { type DescriptorWriter, openDescriptorWriter } from "../lib/descriptor-writer.ts";

type Connections = Pick<Server<undefined>, "port" | "requestIP" | "timeout">;
type Fetch<S> = (request: Request, server: S) => Response | Promise<Response>;

/** Seconds for a client to close the connection. */
const CLOSE_SECONDS = 120;
const REASONS = new Map([
  [200, "OK"],
  [206, "Partial Content"],
]);

/**
 * For a server without TLS. A streamed answer that says its length must guard itself against clients that stop reading
 * (http/stream-pages.ts).
 */
export function withKnownLength<S extends Connections>(fetch: Fetch<S>): Fetch<S> {
  return (request, server) => {
    const answer = fetch(request, server);
    return answer instanceof Promise ? answer.then((response) => send(response, request, server)) : answer;
  };
}

function send(response: Response, request: Request, server: Connections): Response | Promise<Response> {
  const length = Number(response.headers.get("Content-Length") ?? 0);
  const isSent = request.method === "GET" && REASONS.has(response.status);
  return isSent && length > 0 ? sendKnown(response, length, request, server) : response;
}

/** Resolves after the answer, or with it if the runtime must send it. */
async function sendKnown(
  response: Response,
  length: number,
  request: Request,
  server: Connections,
): Promise<Response> {
  const { signal } = request;
  const head = headOf(response);
  const peer = server.requestIP(request);
  if (head === null || peer === null || response.body === null) return response;
  const localPort = server.port ?? 0;
  const isOpen = () => !signal.aborted;
  const descriptor = await duplicateConnection({ localPort, peer, isOpen });
  if (descriptor === null) return response;
  // The runtime sees no traffic.
  server.timeout(request, 0);
  const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  const writer = await openDescriptorWriter(descriptor, cancel);
  void left.then(writer.close);
  try {
    await writer.write(head);
    await relay(reader, writer, length);
    server.timeout(request, CLOSE_SECONDS);
  } catch {
    cancel();
    server.timeout(request, 1);
  }
  writer.end();
  // The runtime closes the connection after its client did.
  await left;
  return new Response(null);
}

/** @throws if the stream fails or has another length, or if the connection is closed */
async function relay(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  writer: DescriptorWriter,
  length: number,
): Promise<void> {
  for (let left = length; ; ) {
    const { done, value } = await reader.read();
    left -= value?.byteLength ?? 0;
    if (left < 0 || (done && left > 0)) throw new Error("the answer has another length");
    if (done) return;
    await writer.write(value);
  }
}

/** Null with a character that has no byte. */
function headOf({ status, headers }: Response): Uint8Array | null {
  const fields = new Headers(headers);
  fields.set("Connection", "close");
  fields.set("Date", new Date().toUTCString());
  const lines = [...fields].map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `HTTP/1.1 ${status} ${REASONS.get(status)}\r\n${lines.join("")}\r\n`;
  return /[^\0-\xff]/.test(text) ? null : Buffer.from(text, "latin1");
}
