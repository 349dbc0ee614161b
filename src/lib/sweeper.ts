/**
 * Asks for garbage collections during long work in small pieces: the collector waits for garbage in proportion to the
 * heap. Beside a million cached links, an export peaked at 340 MB, with this at 90 MB. A request costs the event loop a
 * millisecond.
 */
import { fullGC, heapSize } from "bun:jsc";

export type Sweeper = ReturnType<typeof createSweeper>;

export function createSweeper(everyBytes: number, collect: () => void = () => Bun.gc(false)) {
  let since = 0;
  return {
    /** Collects each time the processed bytes reach the bound. */
    worked(bytes: number): void {
      since += bytes;
      if (since < everyBytes) return;
      since = 0;
      collect();
    },
  };
}

/** Heap growth by garbage that outlived a collection. */
const GROWTH_BYTES = 2 * 1024 * 1024;

/**
 * For overlapping work, such as requests, whose garbage outlives a partial collection. Makes a full one before the heap
 * doubles: 10,000 small uploads peaked at 144 instead of 205 MB. It holds the event loop for about 10 ms, once for
 * hundreds of pieces. The bound is not a share of the heap, most of which is buffers that stay: with a tenth, 5,600
 * small uploads peaked at 149 MB instead of 145 MB.
 */
export function createFullSweeper(everyBytes: number): Sweeper {
  let settled = 0;
  return createSweeper(everyBytes, () => {
    if (heapSize() < settled + GROWTH_BYTES) {
      Bun.gc(false);
      return;
    }
    fullGC();
    settled = heapSize();
  });
}
