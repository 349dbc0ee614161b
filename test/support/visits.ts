/** Visits over one connection, thousands a second, all to the same worker. */
import { connect } from "node:net";

const REQUESTS_AT_ONCE = 100;

/** The redirect target of each code; null for other answers; codes without an answer are absent. */
export async function visitAll(url: string, codes: readonly string[]): Promise<Map<string, string | null>> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setEncoding("latin1");
  const answers = new Map<string, string | null>();
  const waiting: string[] = [];
  let text = "";
  let arrived = Promise.withResolvers<void>();
  socket.on("error", () => {});
  socket.on("close", () => arrived.resolve());
  socket.on("data", (chunk) => {
    text += String(chunk);
    for (let head = headOf(text); head !== null; head = headOf(text)) {
      answers.set(waiting.shift()!, head.location);
      text = text.slice(head.length);
    }
    if (waiting.length === 0) arrived.resolve();
  });
  for (let at = 0; at < codes.length && !socket.destroyed; at += REQUESTS_AT_ONCE) {
    const portion = codes.slice(at, at + REQUESTS_AT_ONCE);
    arrived = Promise.withResolvers();
    waiting.push(...portion);
    socket.write(
      portion
        .map((code) => `GET /${code} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8.5.0\r\n\r\n`)
        .join(""),
    );
    await arrived.promise;
  }
  socket.destroy();
  return answers;
}

/** The first complete answer. */
function headOf(text: string): { location: string | null; length: number } | null {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = text.slice(0, end + 2);
  const length = end + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  if (text.length < length) return null;
  const isRedirect = head.startsWith("HTTP/1.1 307 ");
  return { location: isRedirect ? (/^location: (.*)\r$/im.exec(head)?.[1] ?? null) : null, length };
}
