import type { Database } from "../../db/database.ts";
import type { Visitors } from "../../lib/visitors.ts";
import type { Span } from "../rollups/time-buckets.ts";

export type NewestClick = {
  id: number;
  /** The key of its link, which may be deleted. */
  key: string;
  clickedAt: number;
  source: string;
  country: string | null;
  city: string | null;
  /** An agentValue; see dimensions.ts. */
  agent: string | null;
  /** 1 or 0. */
  automated: number;
};

export function createNewestRepository({ read }: Pick<Database, "read">) {
  return {
    /** Newest first, without those of links that left no trace; limit ≤ 100. */
    async in({ from, to }: Span, linkId: number, visitors: Visitors, limit: number): Promise<NewestClick[]> {
      const rows = await read
        .selectFrom("click_log as log")
        .leftJoin("links", "links.id", "log.link_id")
        .leftJoin("deleted_links as deleted", "deleted.link_id", "log.link_id")
        .leftJoin("user_agents as agents", "agents.id", "log.user_agent_id")
        .leftJoin("click_values as named", "named.id", "agents.value_id")
        .select((eb) => [
          "log.id",
          eb.fn.coalesce("links.code", "deleted.code").as("key"),
          "log.clicked_at as clickedAt",
          "log.source",
          "log.country",
          "log.city",
          "named.value as agent",
          "log.automated",
        ])
        .where("log.clicked_at", ">=", from)
        .where("log.clicked_at", "<", to)
        .$if(linkId !== 0, (query) => query.where("log.link_id", "=", linkId))
        .$if(visitors !== "all", (query) =>
          query.where("log.automated", "=", visitors === "automated" ? 1 : 0),
        )
        .orderBy("log.clicked_at", "desc")
        .orderBy("log.link_id", "desc")
        .orderBy("log.id", "desc")
        .limit(limit)
        .execute();
      return rows.flatMap(({ key, ...row }) => (key === null ? [] : [{ key, ...row }]));
    },
  };
}
