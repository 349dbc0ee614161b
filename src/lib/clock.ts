/** Where the time comes from; tests pass their own. */
export type Clock = {
  /** Epoch milliseconds. May step back when the machine's clock is set. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };
