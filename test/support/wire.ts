/** One connection that speaks HTTP/1.1 by hand: raw bytes out, answers in the order of the requests. */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { parseResponse, type WireResponse } from "./wire-answer.ts";

/** Longest wait for an answer or the end of the connection; for a busy machine. */
const PATIENCE_MS = 60_000;

/** An address such as http://127.0.0.1:80, https://…, or unix:PATH. */
export type Place = string;
export type Wire = ReturnType<typeof dial>;

/** `from` is the local address. `isPaused`: reads nothing before `socket.resume()`. */
type DialOptions = { from?: string; isPaused?: boolean };

/** The connection is half-open: after `end` the answers still come. */
export function dial(place: Place, { from, isPaused = false }: DialOptions = {}) {
  const socket = open(place, from);
  let bytes: Buffer = Buffer.alloc(0);
  let pieces: Buffer[] = [];
  let received = 0;
  let isOver = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  socket.setNoDelay(true);
  if (isPaused) socket.pause();
  socket.on("data", (piece: Buffer) => {
    received += piece.byteLength;
    pieces.push(piece);
    wake();
  });
  for (const event of ["end", "close", "error"] as const) {
    socket.on(event, () => {
      isOver = true;
      wake();
    });
  }

  /** What has come and was not taken. */
  function rest(): Buffer {
    if (pieces.length > 0) bytes = Buffer.concat([bytes, ...pieces]);
    pieces = [];
    return bytes;
  }

  /** @throws with what has come, if the connection ends first or the time is over */
  function until<T>(what: string, find: () => T | null): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const finish = (settle: () => void) => {
      waiting.delete(look);
      clearTimeout(timer);
      settle();
    };
    const fail = (why: string) => {
      const text = JSON.stringify(rest().toString("latin1", 0, 400));
      finish(() => reject(new Error(`${why} before ${what}: ${text}`)));
    };
    const look = () => {
      const found = find();
      if (found !== null) finish(() => resolve(found));
      else if (isOver) fail("the connection ended");
    };
    const timer = setTimeout(() => fail("a minute passed"), PATIENCE_MS);
    waiting.add(look);
    look();
    return promise;
  }

  return {
    socket,
    /** Texts are Latin-1. */
    send(...what: readonly (string | Uint8Array)[]): void {
      for (const one of what) socket.write(typeof one === "string" ? Buffer.from(one, "latin1") : one);
    },
    /** Each piece in a write of its own. */
    async dribble(texts: Iterable<string>): Promise<void> {
      for (const text of texts) {
        await new Promise<void>((resolve) => socket.write(Buffer.from(text, "latin1"), () => resolve()));
        await Bun.sleep(0);
      }
    },
    /** Ends the client's half. */
    end: () => void socket.end(),
    /** Takes the next answer. One with 1xx counts. */
    answer(method = "GET"): Promise<WireResponse> {
      let needed = 0;
      return until("a whole answer", () => {
        if (received < needed && !isOver) return null;
        const found = parseResponse(rest(), method, isOver);
        if (typeof found === "number") {
          needed = received + found;
          return null;
        }
        bytes = bytes.subarray(found.end);
        return found.answer;
      });
    },
    /** Waits for bytes that hold it, and leaves them there. */
    shows: (text: string) => until(JSON.stringify(text), () => rest().includes(text, 0, "latin1") || null),
    /** Waits until the server has ended the connection. Returns what was not taken. */
    closed: () => until("its end", () => (isOver ? rest().toString("latin1") : null)),
    /** Waits until so many bytes have come since the start. */
    receives: (count: number) => until(`${count} bytes`, () => (received >= count ? received : null)),
    received: () => received,
    isClosed: () => isOver,
    hangUp: () => void socket.destroy(),
  };
}

function open(place: Place, localAddress?: string): Socket {
  const half = { allowHalfOpen: true };
  if (place.startsWith("unix:")) return connect({ path: place.slice(5), ...half });
  const { protocol, hostname, port } = new URL(place);
  const host = hostname.replaceAll(/[[\]]/g, "");
  const to = { host, port: Number(port), ...half, ...(localAddress !== undefined && { localAddress }) };
  return protocol === "https:" ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
}
