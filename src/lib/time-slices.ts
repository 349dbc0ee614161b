/**
 * Keeps long work on the event loop from holding it: the worker asks between two steps whether its slice is used up,
 * and rests when it is. Each rest lets everything that has arrived meanwhile go first.
 */
export type TimeSlices = {
  /** Whether it is time to rest. */
  due(): boolean;
  /** Lets others go first; the next slice begins when it resolves. */
  rest(): Promise<void>;
};

export function createTimeSlices(sliceMs: number): TimeSlices {
  let end = performance.now() + sliceMs;
  return {
    due: () => performance.now() >= end,
    async rest() {
      await new Promise<void>((resolve) => setImmediate(resolve));
      end = performance.now() + sliceMs;
    },
  };
}
