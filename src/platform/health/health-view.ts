import { z } from "zod";
import { createView, type ViewFields } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";

export const verdict = z.enum(["healthy", "degraded", "unhealthy"]);

const stagedView = z.object({
  objects: z.int(),
  bytes: z.int(),
  abandoned_objects: z.int(),
  abandoned_bytes: z.int().describe("the part of bytes that no running process and no resumable upload uses"),
  counted_at: z.string().nullable().describe("null before the first count"),
});
export type StagedUploads = ViewFields<z.output<typeof stagedView>>;
export const viewStaged = createView(stagedView);

export const healthView = namedObject("HealthReport", {
  status: verdict,
  timestamp: z.string(),
  uptime: z.int().describe("whole seconds"),
  checks: z.object({
    storage: z.object({
      status: verdict,
      message: z.string().describe("why the database refuses this server, and what to do; else empty"),
      links_count: z.int(),
      backend: z.object({ storage_type: z.string(), support_click: z.boolean() }),
    }),
    cache: z.object({
      status: verdict,
      message: z.string().describe("why Redis refuses this server, and what to do; else empty"),
      cache_type: z.string(),
      bloom_filter_enabled: z.boolean(),
      negative_cache_enabled: z.boolean(),
    }),
    disk: z.object({
      status: verdict,
      message: z.string().describe("what is wrong with the disks, and what to do; empty when healthy"),
    }),
    mail: z.object({
      status: verdict,
      message: z.string().describe("what keeps mails from being sent; empty when healthy or without [mail]"),
    }),
    secret_key: z.object({
      status: verdict,
      message: z
        .string()
        .describe("why this node can't read the secrets in the database, and what to do; empty when healthy"),
    }),
    certificates: z.object({
      status: verdict,
      message: z
        .string()
        .describe("which certificate expires soon, has expired or can't be read, and what to do; else empty"),
    }),
  }),
  unfinished_uploads: stagedView.describe(
    "space that unfinished uploads take in the file storages, as last counted",
  ),
  response_time_ms: z.int(),
});

export type HealthReport = z.output<typeof healthView>;
export type HealthStatus = z.output<typeof verdict>;
