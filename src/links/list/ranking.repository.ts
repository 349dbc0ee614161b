import type { Database } from "../../db/database.ts";
import type { IdRange } from "./sizes.repository.ts";

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
    async extent(): Promise<IdRange | null> {
      const ends = await Promise.all(
        (["asc", "desc"] as const).map((way) =>
          read
            .selectFrom("link_clicks")
            .select("link_id")
            .orderBy("link_id", way)
            .limit(1)
            .executeTakeFirst(),
        ),
      );
      return ends[0] && ends[1] ? { from: ends[0].link_id, to: ends[1].link_id } : null;
    },

    /** Links whose rank differs from their clicks, by id; limit ≤ 1,000. */
    behind: ({ from, to }: IdRange, limit: number): Promise<Counted[]> =>
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
