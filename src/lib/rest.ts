import { setTimeout as sleep } from "node:timers/promises";

/** Resolves after the time or on the signal. */
export const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
