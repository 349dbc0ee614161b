/** Metrics that rooms feed as things happen, through functions handed to them. */
import type { FailureMethod } from "../auth/login/password-check.ts";
import type { StorageObserver, StorageOperation } from "../files/storage/observed-driver.ts";
import type { Histogram, Registry } from "../lib/metrics.ts";
import type { OperationObserver } from "../lib/timed-methods.ts";
import type { LinkCache } from "../links/cache/cache.ts";

export type Observers = {
  onAuthFailure(method: FailureMethod): void;
  onDatabaseOperation: OperationObserver;
  /** Of the object cache. */
  onCacheOperation: OperationObserver;
  onStorageOperation: StorageObserver;
};

/** Seconds. */
const DATABASE_BOUNDS = [0.00001, 0.0001, 0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30];
const CACHE_BOUNDS = [0.000001, 0.000005, 0.00001, 0.00005, 0.0001, 0.001, 0.01, 0.1, 1];
const STORAGE_BOUNDS = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60, 600];
const STORAGE_OPERATIONS = Object.keys({
  claim: true,
  write: true,
  suspend: true,
  resume: true,
  finish: true,
  read: true,
  stat: true,
  delete: true,
  delete_staging: true,
  list: true,
} satisfies Record<StorageOperation, true>);
const OPERATIONS = [
  "get",
  "load_all",
  "load_all_codes",
  "count",
  "paginated_query",
  "batch_get",
  "get_stats",
];

export function createObservers(registry: Registry): Observers {
  const failures = registry.counter({
    name: "svc_auth_failures_total",
    help: "Refused credentials, by how they came.",
    labels: ["method"],
  });
  const queries = registry.counter({
    name: "svc_db_queries_total",
    help: "Operations on links in the database.",
    labels: ["operation"],
  });
  const queryTimes = registry.histogram({
    name: "svc_db_query_duration_seconds",
    help: "Time of operations on links in the database.",
    labels: ["operation"],
    bounds: DATABASE_BOUNDS,
  });
  const cacheTimes = registry.histogram({
    name: "svc_cache_operation_duration_seconds",
    help: "Time of operations of the link table; of look-ups (get) one in 64 is timed.",
    labels: ["operation", "layer"],
    bounds: CACHE_BOUNDS,
  });
  const database = new Map(
    OPERATIONS.map((name) => [name, { count: queries.series(name), time: queryTimes.series(name) }]),
  );
  const cache: Record<string, Histogram> = {
    get: cacheTimes.series("get", "object_cache"),
    invalidate: cacheTimes.series("invalidate", "object_cache"),
  };
  return {
    onAuthFailure: (method) => failures.series(method).add(),
    onDatabaseOperation(operation, seconds) {
      const series = database.get(operation);
      series?.count.add();
      series?.time.observe(seconds);
    },
    onCacheOperation: (operation, seconds) => cache[operation]?.observe(seconds),
    onStorageOperation: observeStorage(registry),
  };
}

function observeStorage(registry: Registry): StorageObserver {
  const counts = registry.counter({
    name: "svc_storage_operations_total",
    help: "Operations of the storages of files, by how they ended.",
    labels: ["driver", "operation", "status"],
  });
  const times = registry.histogram({
    name: "svc_storage_operation_duration_seconds",
    help: "Time of operations of the storages of files until they ended; with the waits for the client.",
    labels: ["driver", "operation"],
    bounds: STORAGE_BOUNDS,
  });
  // There from the start: the first failure must be seen as a rise.
  for (const driver of ["local", "s3"]) {
    for (const operation of STORAGE_OPERATIONS) {
      for (const status of ["success", "failed"]) counts.series(driver, operation, status);
    }
  }
  return (driver, operation, status, seconds) => {
    counts.series(driver, operation, status).add();
    times.series(driver, operation).observe(seconds);
  };
}

/** Reading the clock twice would cost a look-up more than the look-up itself. */
const SAMPLE_MASK = 63;

/** Times one look-up in 64; those that wait for the database count as operations of the database only. */
export function timeSampled(findIn: LinkCache["findIn"], observe: OperationObserver): LinkCache["findIn"] {
  let calls = 0;
  return (text, start, end, now) => {
    if ((calls++ & SAMPLE_MASK) !== 0) return findIn(text, start, end, now);
    const begun = performance.now();
    const found = findIn(text, start, end, now);
    if (!(found instanceof Promise)) observe("get", (performance.now() - begun) / 1000);
    return found;
  };
}
