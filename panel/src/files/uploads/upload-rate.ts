/** Bytes a second over the last seconds. */
const WINDOW_MS = 6_000;

export function createRate(now: () => number = () => performance.now()) {
  const steps: { at: number; bytes: number }[] = [];
  const fresh = () => {
    while (steps.length > 0 && steps[0]!.at < now() - WINDOW_MS) steps.shift();
    return steps;
  };
  return {
    add(bytes: number): void {
      if (bytes > 0) fresh().push({ at: now(), bytes });
    },
    /** 0 if nothing moved. */
    perSecond(): number {
      const [first] = fresh();
      if (first === undefined) return 0;
      const seconds = Math.max(1, (now() - first.at) / 1_000);
      return steps.reduce((sum, { bytes }) => sum + bytes, 0) / seconds;
    },
  };
}
