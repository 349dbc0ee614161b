import { setTimeout as sleep } from "node:timers/promises";

/** Resolves after the time or on the signal. */
export const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

const LOOK_MS = 50;
const MOST_WAITED_MS = 4_000;

/** Resolves when it is done, asked for every 50 ms, or after four seconds. */
export async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  const end = AbortSignal.timeout(MOST_WAITED_MS);
  while (!end.aborted && !(await isDone())) await rest(LOOK_MS, end);
}
