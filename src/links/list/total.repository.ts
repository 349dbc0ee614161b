/** Upkeep of the rows whose sum is the number of links (query.repository.ts). */
import type { Database } from "../../db/database.ts";
import { addToTotal } from "../link/query.repository.ts";

const FOLDED_AT_ONCE = 1_000;

export function createTotalRepository({
  read,
  write,
  transaction,
  dialect,
}: Pick<Database, "read" | "write" | "transaction" | "dialect">) {
  return {
    /** Replaces up to 1,000 rows by their sum. Returns how many there were. */
    fold: (): Promise<number> =>
      transaction(async (tx) => {
        const rows = await tx
          .selectFrom("link_totals")
          .select(["id", "links"])
          .orderBy("id")
          .limit(FOLDED_AT_ONCE)
          .$call(dialect.forUpdate)
          .execute();
        if (rows.length < 2) return rows.length;
        // By id: a row with a smaller one may be committed meanwhile.
        await tx
          .deleteFrom("link_totals")
          .where(
            "id",
            "in",
            rows.map(({ id }) => id),
          )
          .execute();
        const links = rows.reduce((sum, row) => sum + row.links, 0);
        await tx.insertInto("link_totals").values({ links }).execute();
        return rows.length;
      }),

    /**
     * Counts the links and adds what the sum lacks. Both come from one snapshot, and later writes move both alike, so
     * the difference stays true. Returns it.
     */
    async correct(): Promise<number> {
      const { counted, summed } = await read
        .selectNoFrom((eb) => [
          eb
            .selectFrom("links")
            .select((links) => links.fn.countAll<number>().as("n"))
            .as("counted"),
          eb
            .selectFrom("link_totals")
            .select((totals) => totals.fn.sum<number | null>("links").as("n"))
            .as("summed"),
        ])
        .executeTakeFirstOrThrow();
      const lacking = Number(counted) - Number(summed ?? 0);
      await addToTotal(write, lacking);
      return lacking;
    },
  };
}
