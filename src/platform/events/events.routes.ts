import { z } from "zod";
import { type Caller, CursorPage, type Endpoint, endpoint, type HttpContext } from "../http/endpoint.ts";
import { cursorQuery, cursorText, limitOf, placeOf, timePlace } from "../../lib/cursor.ts";
import { eventView, viewOfEvent } from "./event.ts";
import { eventFilterOf, eventQuery } from "./event-query.ts";
import type { EventPage, Events } from "./events.service.ts";

eventView.register(z.globalRegistry, { id: "Event" });

type HistoryInput = { c: HttpContext; account: Caller; query: { domain?: string | undefined } };

/** What the endpoints need of links. */
export type HistoryLinks = {
  /** @throws LinkNotFound */
  idOf(caller: Caller, code: string, domain: string | undefined): Promise<number>;
  /** Whether the path with what is below a code is the code of a link itself. */
  isWholeCode(asking: HistoryInput, below: string): Promise<boolean>;
};

/** Relative to {admin}/v1. Mount them before those of links. */
export function eventEndpoints({ events, links }: { events: Events; links: HistoryLinks }): Endpoint[] {
  return [
    endpoint("GET /events", {
      access: "admin",
      scope: "admin",
      tag: "events",
      summary: "Who did what, newest first",
      query: eventQuery.extend(cursorQuery),
      response: z.array(eventView),
      paged: "cursor",
      async handle({ query: { cursor, limit, ...filter } }) {
        const after = placeOf(timePlace, cursor);
        return viewOfPage(await events.page(eventFilterOf(filter), after, limitOf(limit)));
      },
    }),
    endpoint("GET /links/:code{.+}/history", {
      access: "editor",
      scope: "links",
      tag: "links",
      summary: "What happened to a link, newest first; a code that ends in /history reads that link instead",
      query: z.object({ ...cursorQuery, domain: z.string().optional().describe("host; default: none") }),
      response: z.array(eventView),
      paged: "cursor",
      yields: (asking) => links.isWholeCode(asking, "history"),
      async handle({ c, query: { cursor, limit, domain }, account }) {
        const code = c.req.param("code") ?? "";
        const after = placeOf(timePlace, cursor);
        const subjectId = await links.idOf(account, code, domain);
        return viewOfPage(await events.page({ subjectId }, after, limitOf(limit)));
      },
    }),
  ];
}

const viewOfPage = ({ events, next }: EventPage): CursorPage =>
  new CursorPage(events.map(viewOfEvent), next && cursorText(next));
