import type { Database } from "../../platform/db/database.ts";
import { rawRows } from "./click-columns.repository.ts";
import type { Selection } from "./selection.ts";
import type { Span } from "../rollups/time-buckets.ts";

/** `key`: of its link, which may be deleted. `agent`: an agentValue; see dimensions.ts. */
export type NewestClick = Awaited<ReturnType<ReturnType<typeof createNewestRepository>["in"]>>[number];

export function createNewestRepository({ read }: Pick<Database, "read">) {
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
