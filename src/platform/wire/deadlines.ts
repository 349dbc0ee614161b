/** When a connection is cut. Times are seconds of a clock that the server moves on once a second. */
import type { ConnectionOwner } from "./connection-owner.ts";

/** Without traffic. */
const IDLE_SECONDS = 120;
/** From the accept on. */
const HANDSHAKE_SECONDS = 10;
/** Bounds a whole head, the first one from the accept on, and the rest of a body that is dropped. */
const WHOLE_SECONDS = 30;
/** After the last response, for its client to read it: without traffic, and in all. */
const LINGER = { idle: 2, total: 30 };

export type Deadlines = ReturnType<typeof createDeadlines>;

/** @param waits called when the connection begins to wait for its client to complete something, and when that has come */
export function createDeadlines(
  { now, scheme }: Pick<ConnectionOwner<unknown>, "now" | "scheme">,
  waits: (isWaiting: boolean) => void,
) {
  let touchedAt = now();
  let idleSeconds = IDLE_SECONDS;
  let dueAt: number | null = now() + (scheme === "https" ? HANDSHAKE_SECONDS : WHOLE_SECONDS);
  let cutAt: number | null = null;
  let isWaiting = false;
  wait(true);

  function wait(next: boolean): void {
    if (isWaiting === next) return;
    isWaiting = next;
    waits(next);
  }

  return {
    /** Bytes have moved. */
    touch: () => void (touchedAt = now()),
    endHandshake: () => void (dueAt = now() + WHOLE_SECONDS),
    /** A head or the rest of a dropped body is expected, and must come as a whole. */
    begin(): void {
      dueAt ??= now() + WHOLE_SECONDS;
      wait(true);
    },
    /** It has come. */
    complete(): void {
      if (dueAt === null) return;
      dueAt = null;
      wait(false);
    },
    /** Lets the client be silent during the request under way. */
    liftIdle: () => void (idleSeconds = Number.POSITIVE_INFINITY),
    /** Cuts in about this many seconds, even if there is traffic. */
    cutIn: (seconds: number) => void (cutAt = now() + seconds + 1),
    hasCut: (): boolean => cutAt !== null,
    /** Prepares the next request. */
    reset(): void {
      idleSeconds = IDLE_SECONDS;
      cutAt = null;
    },
    /** After the last response. */
    linger(): void {
      touchedAt = now();
      idleSeconds = LINGER.idle;
      cutAt = now() + LINGER.total;
      dueAt = null;
      wait(true);
    },
    isOver(): boolean {
      const at = now();
      return (
        at - touchedAt >= idleSeconds || (dueAt !== null && at >= dueAt) || (cutAt !== null && at >= cutAt)
      );
    },
  };
}
