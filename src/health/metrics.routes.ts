import { type Endpoint, endpoint } from "../http/endpoint.ts";

const EXPOSITION = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" };

export const metricsEndpoint = (render: () => Promise<string>): Endpoint =>
  endpoint({
    method: "GET",
    path: "/metrics",
    access: "admin",
    scope: "admin",
    tag: "health",
    summary: "Metrics in the Prometheus text format, summed over the workers of this machine",
    raw: { type: "text/plain" },
    others: { 500: { type: "text/plain", description: "The metrics could not be exported" } },
    async handle() {
      try {
        return new Response(await render(), { headers: EXPOSITION });
      } catch {
        return new Response("The metrics could not be exported.", {
          status: 500,
          headers: { "Content-Type": "text/plain; charset=utf-8" },
        });
      }
    },
  });
