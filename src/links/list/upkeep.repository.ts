/** Upkeep of the rows whose sums are the numbers of links and clicks (links/link/query.repository.ts). */
import type { Database } from "../../platform/db/database.ts";
import { addToTotal, HUMAN_CLICKS, type LinkTotals } from "../link/query.repository.ts";
import { type Extent, extentOf } from "../../platform/db/queries.ts";

const FIELDS = ["links", "clicks", "automated"] as const;
const FOLDED_AT_ONCE = 1_000;

export function createTotalRepository({ read, write, transaction, dialect }: Database) {
  return {
    /** Replaces up to 1,000 rows by their sum. Returns how many there were, and how many links they add or remove. */
    fold: (): Promise<{ rows: number; changed: number }> =>
      transaction(async (tx) => {
        const rows = await tx
          .selectFrom("link_totals")
          .select(["id", "links", "clicks", "automated", "imported"])
          .orderBy("id")
          .limit(FOLDED_AT_ONCE)
          .$call(dialect.forUpdate)
          .execute();
        if (rows.length < 2) return { rows: rows.length, changed: 0 };
        const ids = rows.map(({ id }) => id);
        // By id: a row with a smaller one may be committed meanwhile.
        await tx.deleteFrom("link_totals").where("id", "in", ids).execute();
        const sum = { links: 0, clicks: 0, automated: 0, imported: 0 };
        for (const row of rows)
          for (const field of [...FIELDS, "imported"] as const) sum[field] += row[field];
        await tx.insertInto("link_totals").values(sum).execute();
        // The first one is the former sum.
        const changed = rows.slice(1).reduce((all, row) => all + Math.abs(row.links), 0);
        return { rows: rows.length, changed };
      }),

    refreshStatistics: () => dialect.refreshStatistics(write, ["links", "link_clicks", "link_tags", "tags"]),

    /**
     * Counts and adds what the sums lack. Both come from one snapshot, and later writes move both alike, so the
     * difference stays true. Returns it.
     */
    async correct(): Promise<LinkTotals> {
      const row = await read
        .selectFrom(
          read
            .selectFrom("link_clicks")
            .select((eb) => [eb.fn.sum("clicks").as("clicks"), eb.fn.sum("automated").as("automated")])
            .as("counted"),
        )
        .innerJoin(
          read
            .selectFrom("link_totals")
            .select((eb) => [
              eb.fn.sum("links").as("summed_links"),
              eb.fn.sum("clicks").as("summed_clicks"),
              eb.fn.sum("automated").as("summed_automated"),
            ])
            .as("summed"),
          (join) => join.onTrue(),
        )
        .selectAll()
        .select((eb) =>
          eb
            .selectFrom("links")
            .select((links) => links.fn.countAll().as("n"))
            .as("links"),
        )
        .executeTakeFirstOrThrow();
      const lacking = { links: 0, clicks: 0, automated: 0 };
      for (const field of FIELDS)
        lacking[field] = Number(row[field] ?? 0) - Number(row[`summed_${field}`] ?? 0);
      await addToTotal(write, lacking);
      return lacking;
    },
  };
}

/** `human`: its human clicks. */
export type Counted = { link_id: number; clicks: number; human: number; ranked_human: number };

export function createRankingRepository({ read, write, dialect }: Database) {
  return {
    /** Changes with every flush. */
    async flushed(): Promise<string> {
      const journals = await read.selectFrom("journals").select(["id", "position"]).orderBy("id").execute();
      return JSON.stringify(journals.map(({ id, position }) => [id, position]));
    },

    /** The range of ids, or null without links. */
    extent: () => extentOf(read.selectFrom("link_clicks").select("link_id as value")),

    /** Links whose ranks differ from their clicks, by id; limit ≤ 1,000. */
    behind: ({ from, to }: Extent, limit: number): Promise<Counted[]> =>
      read
        .selectFrom("link_clicks")
        .select(["link_id", "clicks", "ranked_human", HUMAN_CLICKS.as("human")])
        .where("link_id", ">=", from)
        .where("link_id", "<=", to)
        .where((eb) => eb.or([eb("clicks", "<>", eb.ref("ranked")), eb("ranked_human", "<>", HUMAN_CLICKS)]))
        .orderBy("link_id")
        .limit(limit)
        .execute(),

    /** At most 1,000. */
    async rank(links: readonly Counted[]): Promise<void> {
      const rows = links.map(({ link_id, clicks, human }) => ({
        link_id,
        ranked: clicks,
        ranked_human: human,
      }));
      const ranks = { table: "link_clicks", key: "link_id", set: ["ranked", "ranked_human"] } as const;
      await dialect.updateMany(write, ranks, rows);
    },
  };
}
