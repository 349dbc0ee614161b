/** Between looks of a busy process. Shorter gaps are not measured. */
const BUSY_LOOK_MS = 20;
/** An idle process looks rarely. */
const IDLE_LOOK_MS = 250;
/** Of a core, over the last look. */
const BUSY_SHARE = 0.05;
const SLOT_MS = 5_000;
/** A minute, and the current slot. */
const SLOTS = 13;

/**
 * The longest time that something blocked the event loop within the last minute; the first gap after a rest may be told
 * up to IDLE_LOOK_MS shorter. Reading changes nothing, so all monitors and health pages see the same.
 */
export function watchLoop() {
  const recent = createRecentMaximum();
  let last = performance.now();
  let worked = processorMs();
  let pause = BUSY_LOOK_MS;
  let timer = setTimeout(look, pause).unref();

  function look(): void {
    const now = performance.now();
    const work = processorMs();
    recent.add(now - last - pause, now);
    pause = work - worked > (now - last) * BUSY_SHARE ? BUSY_LOOK_MS : IDLE_LOOK_MS;
    last = now;
    worked = work;
    timer = setTimeout(look, pause).unref();
  }

  return {
    seconds: (): number => recent.get(performance.now()) / 1000,
    stop: (): void => clearTimeout(timer),
  };
}

/** Of the process since its start. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
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
