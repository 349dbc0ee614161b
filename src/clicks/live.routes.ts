import { z } from "zod";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { streamPages } from "../http/stream-pages.ts";
import type { Logger } from "../lib/logger.ts";
import type { Live } from "./live.ts";

/** A client that reads nothing for this long is cut. */
const STALL_MS = 20_000;

/** One event of the stream. */
const eventView = z.object({
  event: z.enum(["clicks", "drop"]),
  data: z.string().meta({ contentMediaType: "application/json" }),
});

export function liveEndpoints({ live, logger }: { live: Live; logger: Logger }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/analytics/live",
      access: "admin",
      scope: "analytics:read",
      tag: "analytics",
      summary:
        "Clicks per second and the newest clicks, once a second, as server-sent events named `clicks`; each file that comes into a drop box of the account as an event `drop`; 503 when a worker already has 20 viewers",
      raw: { type: "text/event-stream", schema: eventView },
      async handle({ c, account }) {
        const { liftIdleTimeout, cut } = c.env;
        const events = await streamPages(live.watch(c.get("isStillAllowed"), account.id), {
          onFailure: (error) => logger.debug({ err: error }, "a live view was cut"),
          cut,
          stallMs: STALL_MS,
        });
        liftIdleTimeout();
        return new Response(events, {
          headers: {
            "Content-Type": "text/event-stream; charset=utf-8",
            "Cache-Control": "no-store",
            // Otherwise buffering proxies hold the events back.
            "X-Accel-Buffering": "no",
          },
        });
      },
    }),
  ];
}
