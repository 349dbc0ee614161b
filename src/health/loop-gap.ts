/** Shorter gaps are not measured. */
const LOOK_MS = 20;
const SLOT_MS = 5_000;
/** A minute, and the current slot. */
const SLOTS = 13;

/**
 * The longest time that something blocked the event loop within the last minute. Reading changes nothing, so all
 * monitors and health pages see the same.
 */
export function watchLoop() {
  const recent = createRecentMaximum();
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    recent.add(now - last - LOOK_MS, now);
    last = now;
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    seconds: (): number => recent.get(performance.now()) / 1000,
    stop: (): void => clearInterval(timer),
  };
}

/** The maximum of the last 60 to 65 seconds; 0 without any. Times are monotonic, in ms. */
export function createRecentMaximum() {
  const largest = new Float64Array(SLOTS);
  let slot = 0;

  function forget(nowMs: number): void {
    const current = Math.floor(nowMs / SLOT_MS);
    const passed = Math.min(SLOTS, current - slot);
    for (let i = 0; i < passed; i++) largest[(current - i) % SLOTS] = 0;
    slot = current;
  }

  return {
    add(value: number, nowMs: number): void {
      forget(nowMs);
      largest[slot % SLOTS] = Math.max(largest[slot % SLOTS]!, value);
    },
    get(nowMs: number): number {
      forget(nowMs);
      return Math.max(...largest);
    },
  };
}
