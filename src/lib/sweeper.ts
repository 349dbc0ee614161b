/**
 * Keeps long work in small pieces from piling up garbage. The collector acts when garbage has grown in proportion to
 * all that the process holds, so beside a big cache it lets hundreds of megabytes gather first (measured with a
 * million cached links: an export took 340 MB more at its peak, with this 90 MB). Asking costs the event loop a
 * millisecond now and then; most of the work is done beside it.
 */
export type Sweeper = {
  /** Says how much was worked through; asks for a collection when it has been enough. */
  worked(bytes: number): void;
};

export function createSweeper(everyBytes: number): Sweeper {
  let since = 0;
  return {
    worked(bytes) {
      since += bytes;
      if (since < everyBytes) return;
      since = 0;
      Bun.gc(false);
    },
  };
}
