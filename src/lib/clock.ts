/** The source of time. Tests pass their own. */
export type Clock = {
  /** Epoch milliseconds. May step back when the system clock is set. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };
