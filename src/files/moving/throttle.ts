import { rest } from "../../lib/rest.ts";

/** So often a wait looks at a changed rate. */
const SLICE_MS = 1_000;

export type Throttle = ReturnType<typeof createThrottle>;

/** Lets bytes through at a rate that several streams share, in bytes a second. 0: unlimited. */
export function createThrottle(rate: number) {
  let freeAt = 0;
  let current = rate;
  return {
    setRate(bytesPerSecond: number): void {
      if (bytesPerSecond === current) return;
      current = bytesPerSecond;
      freeAt = 0;
    },
    async *through(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        const { byteLength } = chunk;
        yield chunk;
        if (current === 0) continue;
        const due = (freeAt = Math.max(freeAt, performance.now()) + (byteLength / current) * 1_000);
        for (let left = 1; left > 0 && freeAt >= due && !signal.aborted; ) {
          left = due - performance.now();
          if (left > 0) await rest(Math.min(left, SLICE_MS), signal);
        }
        signal.throwIfAborted();
      }
    },
  };
}
