import { expect, test } from "bun:test";
import { createRegistry, type Reading } from "../../lib/metrics.ts";
import type { HealthReport } from "./health-view.ts";
import { createSystemReport, type SystemSources } from "./system.service.ts";

const HEALTHY: HealthReport = {
  status: "healthy",
  timestamp: "",
  uptime: 60,
  checks: {
    storage: {
      status: "healthy",
      message: "",
      links_count: 7,
      backend: { storage_type: "sqlite", support_click: true },
    },
    cache: {
      status: "healthy",
      message: "",
      cache_type: "memory",
      bloom_filter_enabled: true,
      negative_cache_enabled: true,
    },
    disk: { status: "healthy", message: "" },
    certificates: { status: "healthy", message: "" },
    mail: { status: "healthy", message: "" },
    secret_key: { status: "healthy", message: "" },
  },
  unfinished_uploads: { objects: 0, bytes: 0, abandoned_objects: 0, abandoned_bytes: 0, counted_at: null },
  response_time_ms: 1,
};

const gauges = (values: Record<string, [labels: readonly string[], rows: readonly Reading[]]>) => {
  const registry = createRegistry();
  for (const [name, [labels, rows]] of Object.entries(values)) {
    registry.observe("gauge", { name, help: name, labels }, () => rows);
  }
  return async () => ({ metrics: await registry.snapshot(), processes: 2 });
};

const sources: SystemSources = {
  clock: { now: () => 0 },
  version: "1.2.3",
  health: { report: async () => HEALTHY },
  measure: gauges({
    svc_clicks_total: [
      ["state"],
      [
        [["accepted"], 10],
        [["stored"], 6],
        [["dropped_closed"], 1],
      ],
    ],
    svc_clicks_pending: [[], [[[], 3]]],
    svc_clicks_last_flush_timestamp_seconds: [
      ["status"],
      [
        [["success"], 20],
        [["failed"], 10],
      ],
    ],
    svc_job_runs_total: [
      ["task", "status"],
      [
        [["tidy", "success"], 4],
        [["tidy", "failed"], 1],
      ],
    ],
    svc_job_last_run_timestamp_seconds: [
      ["task", "status"],
      [
        [["tidy", "success"], 30],
        [["tidy", "failed"], 20],
      ],
    ],
    svc_process_open_files_limit: [[], [[[], Number.POSITIVE_INFINITY]]],
  }),
  databaseVersion: async () => "3.50.0",
  replica: async () => null,
  importedClicks: async () => 7,
  disks: async () => [{ folder: "/data", trouble: null, freeBytes: 5, totalBytes: 9 }],
  storages: async () => [{ id: 1, name: "local", driverType: "local", isDefault: true, trouble: null }],
};
const report = (changed: Partial<SystemSources> = {}) =>
  createSystemReport({ ...sources, ...changed }).report();

test("the report joins health, metrics and storages", async () => {
  expect(await report()).toMatchObject({
    status: "healthy",
    version: "1.2.3",
    uptime: 60,
    database: { status: "healthy", kind: "sqlite", version: "3.50.0", links_count: 7 },
    disks: [{ status: "healthy", folder: "/data", free_bytes: 5, total_bytes: 9, message: "" }],
    storages: [{ status: "healthy", policy_id: 1, message: "" }],
    clicks: {
      status: "healthy",
      accepted: 10,
      stored: 6,
      waiting: 3,
      imported: 7,
      dropped: 1,
      flushed_at: "1970-01-01T00:00:20.000Z",
    },
    processes: { workers: 2, open_files_limit: null },
    jobs: [{ status: "healthy", job: "tidy", succeeded: 4, failed: 1 }],
  });
});

test("what is wrong with mail and certificates is in the report", async () => {
  const certificates = { status: "degraded", message: "cert.pem expires in 3 days." } as const;
  const health = { ...HEALTHY, status: "degraded" as const, checks: { ...HEALTHY.checks, certificates } };
  expect(await report({ health: { report: async () => health } })).toMatchObject({
    status: "degraded",
    certificates,
    mail: { status: "healthy", message: "" },
  });
});

test("a part that fails degrades the whole, and reports why", async () => {
  const storages = async () => [
    { id: 1, name: "s3", driverType: "s3" as const, isDefault: false, trouble: "It is away." },
  ];
  expect(await report({ storages })).toMatchObject({
    status: "degraded",
    storages: [{ status: "degraded", message: "It is away." }],
  });
  expect(await report({ replica: async () => ({ isUsed: false, lagMs: 12_000 }) })).toMatchObject({
    status: "degraded",
    database: { status: "healthy", replica: { status: "degraded", lag_ms: 12_000 } },
  });
  const measure = gauges({
    svc_clicks_last_flush_timestamp_seconds: [
      ["status"],
      [
        [["success"], 20],
        [["failed"], 21],
      ],
    ],
    svc_job_last_run_timestamp_seconds: [
      ["task", "status"],
      [
        [["tidy", "success"], 0],
        [["tidy", "failed"], 21],
      ],
    ],
  });
  expect(await report({ measure })).toMatchObject({
    status: "degraded",
    clicks: { status: "degraded" },
    jobs: [{ status: "degraded", succeeded_at: null }],
  });
});

test("while the database is away the report shows it, and has the rest", async () => {
  const away = () => Promise.reject(new Error("away"));
  const health = { report: async () => ({ ...HEALTHY, status: "unhealthy" as const }) };
  expect(await report({ health, databaseVersion: away, storages: away })).toMatchObject({
    status: "unhealthy",
    database: { version: null, response_time_ms: null },
    storages: null,
    disks: [{ status: "healthy" }],
  });
});
