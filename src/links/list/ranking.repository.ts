import type { Database } from "../../platform/db/database.ts";
import { type Extent, extentOf } from "../../platform/db/queries.ts";

export type Counted = { link_id: number; clicks: number; ranked: number };

export function createRankingRepository({
  read,
  write,
  dialect,
}: Pick<Database, "read" | "write" | "dialect">) {
  return {
    /** Changes with every flush. */
    async flushed(): Promise<string> {
      const journals = await read.selectFrom("journals").select(["id", "position"]).orderBy("id").execute();
      return JSON.stringify(journals.map(({ id, position }) => [id, position]));
    },

    /** Null without links. */
    extent: () => extentOf(read.selectFrom("link_clicks").select("link_id as value")),

    /** Links whose rank differs from their clicks, by id; limit ≤ 1,000. */
    behind: ({ from, to }: Extent, limit: number): Promise<Counted[]> =>
      read
        .selectFrom("link_clicks")
        .select(["link_id", "clicks", "ranked"])
        .where("link_id", ">=", from)
        .where("link_id", "<=", to)
        .whereRef("clicks", "<>", "ranked")
        .orderBy("link_id")
        .limit(limit)
        .execute(),

    /** At most 1,000. */
    async rank(links: readonly Counted[]): Promise<void> {
      const rows = links.map(({ link_id, clicks }) => ({ link_id, ranked: clicks }));
      await dialect.updateMany(write, { table: "link_clicks", key: "link_id", set: ["ranked"] }, rows);
    },
  };
}
