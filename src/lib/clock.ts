export type Clock = {
  /** Epoch milliseconds. May step back. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };
