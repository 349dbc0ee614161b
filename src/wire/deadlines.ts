/** When a connection is cut. Times are seconds of a clock that the server moves on once a second. */

/** Without traffic. A head may take as long in all. */
const IDLE_SECONDS = 120;
/** After the last answer, for its client to read it: without traffic, and in all. */
const LINGER = { idle: 2, total: 30 };

export type Deadlines = ReturnType<typeof createDeadlines>;

export function createDeadlines(now: () => number) {
  let touchedAt = now();
  let idleSeconds = IDLE_SECONDS;
  let headAt: number | null = null;
  let cutAt: number | null = null;

  return {
    /** Bytes have moved. */
    touch: () => void (touchedAt = now()),
    /** A head has begun and is not complete. */
    beginHead: () => void (headAt ??= now()),
    endHead: () => void (headAt = null),
    /** Lets the client be silent during the request under way. */
    liftIdle: () => void (idleSeconds = Number.POSITIVE_INFINITY),
    /** Cuts in about this many seconds, even if there is traffic. */
    cutIn: (seconds: number) => void (cutAt = now() + seconds + 1),
    hasCut: (): boolean => cutAt !== null,
    /** For the next request. */
    reset(): void {
      idleSeconds = IDLE_SECONDS;
      cutAt = null;
    },
    /** After the last answer. */
    linger(): void {
      touchedAt = now();
      idleSeconds = LINGER.idle;
      cutAt = now() + LINGER.total;
      headAt = null;
    },
    isOver(): boolean {
      const at = now();
      const isSilent = at - touchedAt >= idleSeconds;
      const isSlow = headAt !== null && at - headAt >= IDLE_SECONDS;
      return isSilent || isSlow || (cutAt !== null && at >= cutAt);
    },
  };
}
