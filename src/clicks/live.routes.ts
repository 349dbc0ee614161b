import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../platform/http/endpoint.ts";
import { streamPages } from "../platform/http/stream-pages.ts";
import type { Logger } from "../lib/logger.ts";
import { appError } from "../lib/errors.ts";
import { visitorsOf, visitorsQuery } from "../lib/visitors.ts";
import { clickQuery, valuesOf } from "./analytics/schemas.routes.ts";
import type { ReachableLinks } from "./analytics/routes.ts";
import { createLiveFilter } from "./live-clicks.ts";
import { type Live, MOST_LISTENERS, MOST_OF_ACCOUNT, MOST_WATCHERS, type Viewer } from "./live.ts";

/** A client that reads nothing for this long is cut. */
const STALL_MS = 20_000;

const eventView = z.object({
  event: z.enum(["clicks", "drop"]),
  data: z.string().meta({ contentMediaType: "application/json" }),
});

const dropEventView = eventView.extend({ event: z.literal("drop") });

type Deps = { live: Live; logger: Logger };
type LiveDeps = Deps & { links: Pick<ReachableLinks, "by"> };

/** Places of clicks are looked up when they are flushed. */
const liveQuery = clickQuery.omit({ country: true, city: true }).extend(visitorsQuery);

const bounds = (most: number): string =>
  `429 when a worker already has ${MOST_OF_ACCOUNT} viewers of the account, 503 when it has ${most} in all`;

const viewerOf = (c: HttpContext, accountId: number): Viewer => ({
  accountId,
  isAllowed: c.get("isStillAllowed"),
});

async function respondWith(
  c: HttpContext,
  stream: AsyncGenerator<string, void>,
  logger: Logger,
): Promise<Response> {
  const { liftIdleTimeout, cut } = c.env;
  const events = await streamPages(stream, {
    onFailure: (error) => logger.debug({ err: error }, "a live view was cut off"),
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
}

export const liveEndpoints = ({ live, links, logger }: LiveDeps): Endpoint[] => [
  endpoint("GET /analytics/live", {
    access: "editor",
    scope: "analytics:read",
    tag: "analytics",
    summary: `Clicks per second and the newest clicks, once a second, as server-sent events named \`clicks\`; each file that comes into a drop box of the account as an event \`drop\`; with a filter the rates count its share of the newest clicks; ends when the role or a membership of the account changes; ${bounds(MOST_WATCHERS)}`,
    query: liveQuery,
    failures: [404],
    raw: { type: "text/event-stream", schema: eventView },
    async handle({ c, query, account }) {
      const given = c.req.query();
      const place = (["country", "city"] as const).find((name) => given[name]);
      if (place !== undefined) {
        const reason = "places are looked up when clicks are stored, after the live view shows them";
        throw appError("BadRequest", `The live view can't filter by ${place}: ${reason}.`, { field: place });
      }
      const { chosen } = links.by(actorOf(account));
      const [isOfAll, values, visitors] = [
        (await chosen(query)) === null,
        valuesOf(query),
        visitorsOf(query),
      ];
      const isEverything = isOfAll && Object.keys(values).length === 0 && visitors === "all";
      const choose = (among: readonly number[]) => chosen(query, among);
      const filter = isEverything ? null : createLiveFilter({ choose, values, visitors });
      return respondWith(c, live.watch({ ...viewerOf(c, account.id), filter }), logger);
    },
  }),
];

/** Mount it at the root, before patterns like `/folders/:id`. */
export const dropLiveEndpoint = ({ live, logger }: Deps): Endpoint =>
  endpoint("GET /folders/live", {
    ownsPath: true,
    access: "account",
    scope: "files",
    tag: "folders",
    summary: `Each file that comes into a drop box of the account, as a server-sent event named \`drop\`; ends when the role or a membership of the account changes; ${bounds(MOST_LISTENERS)}`,
    raw: { type: "text/event-stream", schema: dropEventView },
    handle: ({ c, account }) => respondWith(c, live.watchDrops(viewerOf(c, account.id)), logger),
  });
