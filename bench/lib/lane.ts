/**
 * A keep-alive connection that carries one request at a time, as browsers do. A server may close it between two
 * requests: it connects again.
 */
import type { Socket } from "bun";

export type Lane = {
  /** Number of the request under way, given by the user of the lane. */
  index: number;
  /** When it was sent, in milliseconds of `performance.now()`. */
  sentAt: number;
  /** Not while a request is under way. */
  send(request: string): void;
  end(): void;
};

/** @param answered with the status, after the last byte of the body; 0 when the connection broke */
export async function connectLane(
  port: number,
  answered: (lane: Lane, status: number) => void,
): Promise<Lane> {
  let socket: Socket | null = null;
  let isBusy = false;
  let isOver = false;
  let head = "";
  let status = 0;
  /** Bytes of the body that are still to come. */
  let missing = 0;
  /** Of the request, what the socket has not taken yet. */
  let unsent: Uint8Array | null = null;

  const lane: Lane = {
    index: 0,
    sentAt: 0,
    send(request) {
      isBusy = true;
      lane.sentAt = performance.now();
      if (socket === null) {
        unsent = Buffer.from(request, "latin1");
        return;
      }
      const written = socket.write(request);
      if (written < request.length) unsent = Buffer.from(request, "latin1").subarray(written);
    },
    end() {
      isOver = true;
      socket?.end();
    },
  };

  function finish(result: number): void {
    isBusy = false;
    head = "";
    missing = 0;
    unsent = null;
    answered(lane, result);
  }

  function flush(to: Socket): void {
    if (unsent === null) return;
    const written = to.write(unsent);
    unsent = written < unsent.length ? unsent.subarray(written) : null;
  }

  const connect = () =>
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open(opened) {
          socket = opened;
          flush(opened);
        },
        drain: flush,
        data(_socket, bytes) {
          if (missing > 0) {
            missing -= bytes.length;
          } else if (head === "" && isHeadOfRedirect(bytes)) {
            status = 307;
          } else {
            head += bytes.toString("latin1");
            const end = head.indexOf("\r\n\r\n");
            if (end < 0) return;
            status = Number(head.slice(9, 12));
            missing = bodyLength(head.slice(0, end)) - (head.length - end - 4);
          }
          if (missing === 0) finish(status);
        },
        close() {
          socket = null;
          if (isOver) return;
          void connect();
          if (isBusy) finish(0);
        },
      },
    });
  await connect();
  return lane;
}

/** Whether it is all of a 307 without a body, at the price of a few comparisons. */
function isHeadOfRedirect(bytes: Buffer): boolean {
  const { length } = bytes;
  const isEnd = bytes[length - 1] === 10 && bytes[length - 2] === 13 && bytes[length - 3] === 10;
  return isEnd && bytes[9] === 51 && bytes[10] === 48 && bytes[11] === 55;
}

function bodyLength(head: string): number {
  if (/\r\nTransfer-Encoding:/i.test(head)) throw new Error("lanes read answers with a Content-Length only");
  return Number(/\r\nContent-Length: *(\d+)/i.exec(head)?.[1] ?? 0);
}
