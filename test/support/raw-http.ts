/** Requests as raw bytes, to send what HTTP clients do not. */
import { connect } from "node:net";

const ANSWER_MS = 10_000;

export type RawResponse = { status: number; head: string; body: string; text: string };

/** Sends the bytes on one connection and reads until the server closes it or the time is over. */
export function sendRaw(url: string, bytes: string | Uint8Array, { end = false } = {}): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
  const socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  const finish = () => {
    clearTimeout(timer);
    socket.destroy();
    resolve(parse(text));
  };
  const timer = setTimeout(finish, ANSWER_MS);
  socket.setEncoding("latin1");
  socket.on("connect", () => {
    socket.write(bytes);
    if (end) socket.end();
  });
  socket.on("data", (chunk) => {
    text += String(chunk);
    if (isWhole(text)) finish();
  });
  socket.on("close", finish);
  socket.on("error", (error) => {
    clearTimeout(timer);
    if (text === "" && (error as NodeJS.ErrnoException).code !== "ECONNRESET") reject(error);
    else finish();
  });
  return promise;
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, headEnd + 2))?.[1];
  if (length !== undefined) return text.length - headEnd - 4 >= Number(length);
  return / (204|304|307) /.test(text.slice(0, 14)) || text.endsWith("0\r\n\r\n");
}

function parse(text: string): RawResponse {
  const headEnd = text.indexOf("\r\n\r\n");
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    head: headEnd < 0 ? text : text.slice(0, headEnd),
    body: headEnd < 0 ? "" : text.slice(headEnd + 4),
    text,
  };
}
