import { z } from "zod";
import { verdict } from "./health-view.ts";
import { namedObject } from "../../lib/named-object.ts";

const time = z.iso.datetime().nullable();
const message = z.string().describe("what is wrong, and what to do; empty when healthy");

const part = z.object({ status: verdict, message });

export const systemView = namedObject("SystemReport", {
  status: verdict.describe("the worst of the parts"),
  checked_at: z.iso.datetime(),
  version: z.string(),
  runtime: z.string().describe("name and version of the runtime"),
  uptime: z.int().describe("whole seconds"),
  database: z.object({
    status: verdict,
    kind: z.string(),
    version: z.string().nullable().describe("null while the database is away"),
    message: z
      .string()
      .describe("why it refuses this server, or its secrets can't be read, and what to do; else empty"),
    links_count: z.int(),
    response_time_ms: z.int().nullable(),
    replica: z
      .object({
        status: verdict.describe("degraded while reports and exports read from the database instead"),
        lag_ms: z.int().nullable().describe("how far it is behind; null while it does not answer"),
      })
      .nullable()
      .describe("from which reports and exports read; null without database.replica_url"),
  }),
  cache: z.object({
    status: verdict,
    kind: z.string(),
    message: z.string().describe("why it refuses this server, and what to do; else empty"),
  }),
  mail: part,
  certificates: part,
  disks: z.array(
    z.object({
      status: verdict,
      folder: z.string(),
      free_bytes: z.int().nullable(),
      total_bytes: z.int().nullable(),
      message,
    }),
  ),
  storages: z
    .array(
      z.object({
        status: verdict,
        policy_id: z.int(),
        name: z.string(),
        driver_type: z.enum(["local", "s3", "linked"]),
        is_default: z.boolean(),
        message,
      }),
    )
    .nullable()
    .describe(
      "of the first fifty storage policies, as asked within 15 seconds; null while the database is away",
    ),
  clicks: z.object({
    status: verdict.describe("degraded when the last flush failed"),
    accepted: z.int().describe("since the start; stored, waiting and dropped together"),
    stored: z.int(),
    waiting: z.int().describe("in the journal, not in the database yet"),
    imported: z
      .int()
      .nullable()
      .describe("imported from other products so far; null while the database is away"),
    dropped: z.int().describe("of links that were deleted, or lost because nothing could be written"),
    flushed_at: time.describe("end of the last flush that succeeded"),
    failed_at: time.describe("end of the last flush that failed"),
    journal_bytes: z.int(),
  }),
  processes: z.object({
    workers: z.int().describe("that answered"),
    active_requests: z.int(),
    open_files: z.int(),
    open_files_limit: z.int().nullable().describe("of all workers together; null: unlimited"),
    memory_bytes: z.int(),
  }),
  jobs: z.array(
    z.object({
      status: verdict.describe("degraded when the last run failed"),
      job: z.string(),
      succeeded: z.int(),
      failed: z.int(),
      succeeded_at: time.describe("end of the last run on this machine"),
      failed_at: time,
    }),
  ),
});

export type SystemReport = z.output<typeof systemView>;
