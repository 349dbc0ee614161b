import { isBeyond, type LogPosition } from "../rollups/rebuild.repository.ts";
import type { ExpressionBuilder } from "kysely";
import type { RowFields, Schema } from "../../platform/db/schema.ts";
import type { Database } from "../../platform/db/database.ts";
import { rawRows, type SelectedClicks, type Selection } from "./click-columns.repository.ts";
import { COLUMN_DIMENSIONS, COLUMN_OF } from "../rollups/dimensions.ts";
import type { Span } from "../rollups/time-buckets.ts";

/** Columns of the log beside those of the specification. */
export const LOG_COLUMNS = COLUMN_DIMENSIONS.map((name) => COLUMN_OF[name]);

type LogColumns = Record<(typeof LOG_COLUMNS)[number], string | null>;

/** The further columns are optional. */
export type LoggedClick = Partial<LogColumns & { userAgent: string | null }> &
  Pick<
    RowFields<"click_log">,
    "id" | "linkId" | "clickedAt" | "referrer" | "source" | "ipAddress" | "country" | "city" | "automated"
  >;

/** Null for a click without one. */
const userAgent = (eb: ExpressionBuilder<Schema, "click_log">) =>
  eb
    .selectFrom("user_agents")
    .select("user_agents.text")
    .whereRef("user_agents.id", "=", "click_log.user_agent_id")
    .as("userAgent");

export function createLogRepository({ read }: Database) {
  return {
    /** The next rows after a position (null: from the start) in an order of time; limit ≤ 1,000. */
    after(
      selected: SelectedClicks,
      { from, to }: Span,
      position: LogPosition | null,
      limit: number,
      withMore: boolean,
      order: "asc" | "desc",
    ): Promise<LoggedClick[]> {
      const rest =
        order === "asc"
          ? { from: position?.clickedAt ?? from, to }
          : { from, to: position === null ? to : position.clickedAt + 1 };
      return rawRows(read, selected, rest)
        .select([
          "id",
          "link_id as linkId",
          "clicked_at as clickedAt",
          "referrer",
          "source",
          "ip_address as ipAddress",
          "country",
          "city",
          "automated",
        ])
        .$if(withMore, (query) => query.select(LOG_COLUMNS).select(userAgent))
        .$if(position !== null, (query) => query.where(isBeyond(position!, order)))
        .orderBy("clicked_at", order)
        .orderBy("link_id", order)
        .orderBy("id", order)
        .limit(limit)
        .execute();
    },

    /** Codes of up to 1,000 links; of deleted ones the last code. */
    async codes(linkIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
      if (linkIds.length === 0) return new Map();
      const rows = await read.selectFrom("links").select(["id", "code"]).where("id", "in", linkIds).execute();
      const codes = new Map(rows.map(({ id, code }) => [id, code]));
      const others = linkIds.filter((id) => !codes.has(id));
      if (others.length === 0) return codes;
      const deleted = read.selectFrom("deleted_links").select(["link_id", "code"]);
      for (const row of await deleted.where("link_id", "in", others).execute())
        codes.set(row.link_id, row.code);
      return codes;
    },
  };
}

/** `key`: of its link, which may be deleted. `agent`: an agentValue; see dimensions.ts. */
export type NewestClick = Awaited<ReturnType<ReturnType<typeof createNewestRepository>["in"]>>[number];

export function createNewestRepository({ read }: Database) {
  return {
    /** Newest first, without those of links that left no trace; limit ≤ 100. */
    async in(span: Span, { visitors, ...selected }: Selection, limit: number) {
      const clicks = rawRows(read, selected, span)
        .$if(visitors !== "all", (query) => query.where("automated", "=", visitors === "automated" ? 1 : 0))
        .selectAll()
        .orderBy("clicked_at", "desc")
        .orderBy("link_id", "desc")
        .orderBy("id", "desc")
        .limit(limit);
      const rows = await read
        .selectFrom(clicks.as("log"))
        .leftJoin("links", "links.id", "log.link_id")
        .leftJoin("deleted_links as deleted", "deleted.link_id", "log.link_id")
        .leftJoin("user_agents as agents", "agents.id", "log.user_agent_id")
        .leftJoin("click_values as named", "named.id", "agents.value_id")
        .select((eb) => [
          "log.id",
          eb.fn.coalesce("links.code", "deleted.code").as("key"),
          "log.clicked_at as clickedAt",
          "log.source",
          "log.utm_source as utmSource",
          "log.country",
          "log.city",
          "named.value as agent",
          "log.automated",
        ])
        .orderBy("log.clicked_at", "desc")
        .orderBy("log.link_id", "desc")
        .orderBy("log.id", "desc")
        .execute();
      return rows.flatMap(({ key, ...row }) => (key === null ? [] : [{ key, ...row }]));
    },
  };
}
