import type { Reading, Registry } from "../../lib/metrics.ts";
import { type TimeObserver, timeFunction } from "../../lib/timed-methods.ts";
import type { LinkCache, LinkCacheStats } from "./cache.ts";

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
  type Kind = "gauge" | "counter";
  const one = (kind: Kind, name: string, help: string, read: (now: LinkCacheStats) => number) =>
    registry.observe(kind, { name, help }, () => [[[], read(stats())]]);
  const ofLayers = (
    kind: Kind,
    name: string,
    help: string,
    read: (now: LinkCacheStats) => Record<string, number>,
  ) =>
    registry.observe(kind, { name, help, labels: ["layer"] }, () =>
      Object.entries(read(stats())).map(([layer, number]): Reading => [[layer], number]),
    );
  ofLayers("gauge", "svc_cache_entries", "Links in memory.", ({ entries }) => ({ object_cache: entries }));
  one("gauge", "svc_cache_bytes", "Memory of link table and Bloom filter.", ({ bytes }) => bytes);
  ofLayers("counter", "svc_cache_hits_total", "Look-ups that a layer answered.", (now) => ({
    object_cache: now.tableHits,
    bloom_filter: now.filterHits,
    negative_cache: now.missingHits,
  }));
  ofLayers("counter", "svc_cache_misses_total", "Look-ups that a layer could not answer.", (now) => ({
    object_cache: now.tableMisses,
  }));
  one(
    "counter",
    "svc_bloom_filter_false_positives_total",
    "Unknown codes that the Bloom filter let through.",
    (now) => now.filterFalsePositives,
  );
}
