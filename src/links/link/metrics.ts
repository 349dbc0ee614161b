import type { Registry } from "../../lib/metrics.ts";
import type { TimeObserver } from "../../lib/timed-methods.ts";

/** Seconds. */
const BOUNDS = [0.00001, 0.0001, 0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30];

export type LinkOperations = ReturnType<typeof createLinkOperations>;

export function createLinkOperations(registry: Registry) {
  const counts = registry.counter({
    name: "svc_db_queries_total",
    help: "Operations on links in the database.",
    labels: ["operation"],
  });
  const times = registry.histogram({
    name: "svc_db_query_duration_seconds",
    help: "Time of operations on links in the database.",
    labels: ["operation"],
    bounds: BOUNDS,
  });
  const operation = (name: string): TimeObserver => {
    const [count, time] = [counts.series(name), times.series(name)];
    return (seconds) => {
      count.add();
      time.observe(seconds);
    };
  };
  return {
    get: operation("get"),
    loadAll: operation("load_all"),
    loadAllCodes: operation("load_all_codes"),
    count: operation("count"),
    paginatedQuery: operation("paginated_query"),
    batchGet: operation("batch_get"),
    getStats: operation("get_stats"),
  };
}
