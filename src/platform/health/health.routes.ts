import { z } from "zod";
import { endpoint, type Endpoint } from "../http/endpoint.ts";
import { appError, ERRORS } from "../../lib/errors.ts";
import { type HealthReport, healthView } from "./health-view.ts";
import { type SystemReport, systemView } from "./system-view.ts";
import { wholeResponse } from "../../lib/whole-response.ts";

const shared = { scope: "admin", tag: "health" } as const;
const TEXT = { "Content-Type": "text/plain; charset=utf-8" };

const unhealthyView = z.object({
  code: z.literal(ERRORS.ServiceUnavailable.code),
  error: z.literal("ServiceUnavailable"),
  message: z.string(),
  data: healthView,
});

const DOMAIN = "/domain";

/** Paths that need no credentials, relative to the health prefix. */
export const openProbes = (setting: "none" | "live" | "ready"): readonly string[] => [
  DOMAIN,
  ...{ none: [], live: ["/live"], ready: ["/live", "/ready"] }[setting],
];

type Health = {
  report(): Promise<HealthReport>;
  /** Whether a host is ours. Takes any text. */
  isOurs(host: string): boolean;
};

/** `open`: paths of those that need no credentials. */
export function healthEndpoints(health: Health, open: readonly string[]): Endpoint[] {
  const accessTo = (path: string) => (open.includes(path) ? "public" : "admin");
  return [
    endpoint("GET ", {
      ...shared,
      access: "admin",
      summary: "Full health report; 503 with the report when unhealthy",
      response: healthView,
      others: { 503: { type: "application/json", schema: unhealthyView, description: "Unhealthy" } },
      async handle({ c }) {
        const data = await health.report();
        if (data.status !== "unhealthy") return data;
        const { code } = ERRORS.ServiceUnavailable;
        const body = { code, error: "ServiceUnavailable", message: "The database is away.", data };
        return c.body(JSON.stringify(body), 503, { "Content-Type": "application/json; charset=utf-8" });
      },
    }),
    endpoint("GET /ready", {
      ...shared,
      access: accessTo("/ready"),
      summary: "200 OK when requests can be served, else 503",
      raw: { type: "text/plain" },
      others: { 503: { type: "text/plain", description: "Requests can't be served" } },
      async handle() {
        const { status } = await health.report();
        return status === "unhealthy"
          ? wholeResponse("Service Unavailable", { status: 503, headers: TEXT })
          : wholeResponse("OK", { headers: TEXT });
      },
    }),
    endpoint("GET /live", {
      ...shared,
      access: accessTo("/live"),
      summary: "204 while the process responds",
      raw: { type: null, status: 204 },
      handle: () => new Response(null, { status: 204 }),
    }),
    endpoint(`GET ${DOMAIN}`, {
      ...shared,
      access: "public",
      summary: "Whether a host is ours, for proxies that get certificates when they need them",
      query: z.object({ domain: z.string().optional().describe("a host, without a port") }),
      raw: { type: "text/plain" },
      failures: [404],
      handle({ query: { domain = "" } }) {
        if (!health.isOurs(domain)) throw appError("NotFound", "This is no host of this instance.");
        return wholeResponse("OK", { headers: TEXT });
      },
    }),
  ];
}

/** Relative to {admin}/v1. */
export const systemEndpoint = (system: { report(): Promise<SystemReport> }): Endpoint =>
  endpoint("GET /system", {
    ...shared,
    access: "admin",
    summary: "State of every part of this machine's server: database, storages, clicks, disks, jobs",
    response: systemView,
    handle: () => system.report(),
  });

const EXPOSITION = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" };

export const metricsEndpoint = (render: () => Promise<string>): Endpoint =>
  endpoint("GET /metrics", {
    ...shared,
    access: "admin",
    summary: "Metrics in the Prometheus text format, summed over the workers of this machine",
    raw: { type: "text/plain" },
    others: { 500: { type: "text/plain", description: "The metrics could not be exported" } },
    async handle() {
      try {
        return wholeResponse(await render(), { headers: EXPOSITION });
      } catch {
        return new Response("The metrics could not be exported.", { status: 500, headers: TEXT });
      }
    },
  });
