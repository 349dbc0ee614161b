/**
 * Keeps long work from blocking the event loop. A rest is a timer of one millisecond: with setImmediate other events
 * wait for a whole slice (slices of 1 ms: median of a request 1.04 ms instead of 0.01 ms).
 */
const REST_MS = 1;

/**
 * End of the last rest, of any slices. Work in slices reads from work in slices: with a time of its own each would take
 * the other's rest for work, and rest after every item.
 */
let restedAt = 0;

/** An import by a command rested two thirds of the time that it read, and nobody got that time. */
const COMMAND_SLICE_MS = 50;
let shortestMs = 0;

/** For commands: nobody waits for the event loop of their process. */
export const useLongSlices = (): void => void (shortestMs = COMMAND_SLICE_MS);

export function createTimeSlices(sliceMs: number) {
  const createdAt = performance.now();
  return {
    due: (): boolean => performance.now() - Math.max(createdAt, restedAt) >= Math.max(sliceMs, shortestMs),
    /** Yields to other events. */
    async rest(): Promise<void> {
      await new Promise<void>((resolve) => setTimeout(resolve, REST_MS));
      restedAt = performance.now();
    },
  };
}
