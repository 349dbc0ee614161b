import { z } from "zod";
import { endpoint, type Endpoint } from "../http/endpoint.ts";
import { ERRORS } from "../lib/errors.ts";
import type { HealthReport } from "./health.service.ts";

const TEXT = { "Content-Type": "text/plain; charset=utf-8" };

export const verdict = z.enum(["healthy", "degraded", "unhealthy"]);
const reportView: z.ZodType<HealthReport> = z.object({
  status: verdict,
  timestamp: z.string(),
  uptime: z.int().describe("whole seconds"),
  checks: z.object({
    storage: z.object({
      status: verdict,
      links_count: z.int(),
      backend: z.object({ storage_type: z.string(), support_click: z.boolean() }),
    }),
    cache: z.object({
      status: verdict,
      cache_type: z.string(),
      bloom_filter_enabled: z.boolean(),
      negative_cache_enabled: z.boolean(),
    }),
    disk: z.object({
      status: verdict,
      message: z.string().describe("what is wrong with the disks, and what to do; empty when healthy"),
    }),
  }),
  unfinished_uploads: z
    .object({
      objects: z.int(),
      bytes: z.int(),
      abandoned_objects: z.int(),
      abandoned_bytes: z
        .int()
        .describe("the part of bytes that no running process and no resumable upload uses"),
      counted_at: z.string().nullable().describe("null before the first count"),
    })
    .describe("space that unfinished uploads take in the file storages, as last counted"),
  response_time_ms: z.int(),
});
reportView.register(z.globalRegistry, { id: "HealthReport" });

const unhealthyView = z.object({
  code: z.literal(ERRORS.ServiceUnavailable.code),
  error: z.literal("ServiceUnavailable"),
  message: z.string(),
  data: reportView,
});

/** Relative to the health prefix. */
export const openProbes = (setting: "none" | "live" | "ready"): readonly string[] =>
  ({ none: [], live: ["/live"], ready: ["/live", "/ready"] })[setting];

type Health = { report(): Promise<HealthReport> };

/** `open`: paths of those that need no credentials. */
export function healthEndpoints(health: Health, open: readonly string[]): Endpoint[] {
  const accessTo = (path: string) => (open.includes(path) ? "public" : "admin");
  return [
    endpoint({
      method: "GET",
      path: "",
      access: "admin",
      scope: "admin",
      tag: "health",
      summary: "Full health report; 503 with the report when unhealthy",
      answer: reportView,
      others: { 503: { type: "application/json", schema: unhealthyView, description: "Unhealthy" } },
      async handle({ c }) {
        const data = await health.report();
        if (data.status !== "unhealthy") return data;
        const { code } = ERRORS.ServiceUnavailable;
        return c.json({ code, error: "ServiceUnavailable", message: "The database is away.", data }, 503);
      },
    }),
    endpoint({
      method: "GET",
      path: "/ready",
      access: accessTo("/ready"),
      scope: "admin",
      tag: "health",
      summary: "200 OK when requests can be served, else 503",
      raw: { type: "text/plain" },
      others: { 503: { type: "text/plain", description: "Requests can't be served" } },
      async handle() {
        const { status } = await health.report();
        return status === "unhealthy"
          ? new Response("Service Unavailable", { status: 503, headers: TEXT })
          : new Response("OK", { headers: TEXT });
      },
    }),
    endpoint({
      method: "GET",
      path: "/live",
      access: accessTo("/live"),
      scope: "admin",
      tag: "health",
      summary: "204 while the process responds",
      raw: { type: null, status: 204 },
      handle: () => new Response(null, { status: 204 }),
    }),
  ];
}
