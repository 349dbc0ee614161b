import type { Reading, Registry } from "../../lib/metrics.ts";
import { type TimeObserver, timeFunction } from "../../lib/timed-methods.ts";
import type { LinkCache } from "./cache.ts";

/** Seconds. */
const BOUNDS = [0.000001, 0.000005, 0.00001, 0.00005, 0.0001, 0.001, 0.01, 0.1, 1];
/** Reading the clock twice costs more than a lookup. */
const SAMPLE_MASK = 63;

export function measureLinkCache(registry: Registry, cache: LinkCache): LinkCache {
  registerStats(registry, cache.stats);
  const times = registry.histogram({
    name: "svc_cache_operation_duration_seconds",
    help: "Duration of operations of the link table; one in 64 look-ups (get) is timed.",
    labels: ["operation", "layer"],
    bounds: BOUNDS,
  });
  return {
    ...cache,
    findIn: timeSampled(cache.findIn, times.series("get", "object_cache").observe),
    invalidate: timeFunction(cache.invalidate, times.series("invalidate", "object_cache").observe),
  };
}

/** Times one lookup in 64. Those that wait for the database count only as database operations. */
function timeSampled(findIn: LinkCache["findIn"], observe: TimeObserver): LinkCache["findIn"] {
  let calls = 0;
  return (text, start, end, now) => {
    if ((calls++ & SAMPLE_MASK) !== 0) return findIn(text, start, end, now);
    const begun = performance.now();
    const found = findIn(text, start, end, now);
    if (!(found instanceof Promise)) observe((performance.now() - begun) / 1000);
    return found;
  };
}

function registerStats(registry: Registry, stats: LinkCache["stats"]): void {
  const one = (number: number): Reading[] => [[[], number]];
  registry.observe(
    "gauge",
    { name: "svc_cache_entries", help: "Links in memory.", labels: ["layer"] },
    () => [[["object_cache"], stats().entries]],
  );
  registry.observe("gauge", { name: "svc_cache_bytes", help: "Memory of link table and Bloom filter." }, () =>
    one(stats().bytes),
  );
  registry.observe(
    "counter",
    { name: "svc_cache_hits_total", help: "Look-ups that a layer answered.", labels: ["layer"] },
    () => {
      const { tableHits, filterHits, missingHits } = stats();
      return [
        [["object_cache"], tableHits],
        [["bloom_filter"], filterHits],
        [["negative_cache"], missingHits],
      ];
    },
  );
  registry.observe(
    "counter",
    { name: "svc_cache_misses_total", help: "Look-ups that a layer could not answer.", labels: ["layer"] },
    () => [[["object_cache"], stats().tableMisses]],
  );
  registry.observe(
    "counter",
    {
      name: "svc_bloom_filter_false_positives_total",
      help: "Unknown codes that the Bloom filter let through.",
    },
    () => one(stats().filterFalsePositives),
  );
}
