/** What an import brought, link by link. */
import type { RowFields } from "../../../platform/db/schema.ts";
import type { Database } from "../../../platform/db/database.ts";
import type { Db } from "../../../platform/db/dialect.ts";
import { addToTotal } from "../../../links/link/query.repository.ts";
import { NOT_MADE } from "./visits.repository.ts";

export type BroughtRow = Pick<
  RowFields<"import_links">,
  "linkId" | "madeAt" | "total" | "dated" | "automated"
>;

export function createUndoRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    /** What is not undone yet, by link. */
    async next(importId: number, removed: 0 | 1, limit: number, db: Db = read): Promise<BroughtRow[]> {
      return db
        .selectFrom("import_links")
        .select(["link_id as linkId", "made_at as madeAt", "total", "dated", "automated"])
        .where("import_id", "=", importId)
        .where("removed", "=", removed)
        .orderBy("link_id")
        .limit(limit)
        .execute();
    },

    /** As many of the links as have at most `most` rows of sums, at least one. */
    async fitting(importId: number, links: readonly number[], most: number): Promise<Set<number>> {
      const rows = await read
        .selectFrom("import_clicks")
        .select((eb) => ["link_id", eb.fn.countAll<number>().as("n")])
        .where("import_id", "=", importId)
        .where("link_id", "in", links)
        .groupBy("link_id")
        .execute();
      const sizes = new Map(rows.map(({ link_id, n }) => [link_id, Number(n)]));
      const fitting = new Set<number>();
      let room = most;
      for (const link of links) {
        room -= sizes.get(link) ?? 0;
        if (room < 0 && fitting.size > 0) break;
        fitting.add(link);
      }
      return fitting;
    },

    /** The imported counts of links, in whichever table they are; rows of the log, too. Locks both. */
    async takeOutCounts(tx: Db, rows: readonly BroughtRow[], before: number): Promise<void> {
      const ids = rows.map(({ linkId }) => linkId);
      for (const table of ["link_clicks", "deleted_links"] as const) {
        const query = tx.selectFrom(table).select("link_id").where("link_id", "in", ids).orderBy("link_id");
        const found = new Set((await query.$call(dialect.forUpdate).execute()).map(({ link_id }) => link_id));
        const own = rows.filter(({ linkId }) => found.has(linkId));
        const totals = { links: 0, clicks: 0, automated: 0 };
        for (const [column, countOf] of [
          ["clicks", ({ total, dated }: BroughtRow) => Math.max(total, dated)],
          ["automated", ({ automated }: BroughtRow) => automated],
        ] as const) {
          const changed = own.filter((row) => countOf(row) > 0);
          if (changed.length === 0) continue;
          const deltas = changed.map((row) => -countOf(row));
          const linkIds = changed.map(({ linkId }) => linkId);
          await dialect.addToCounters(tx, { table, key: "link_id", column }, linkIds, deltas);
          totals[column] = deltas.reduce((sum, delta) => sum + delta, 0);
        }
        if (table === "link_clicks") await addToTotal(tx, totals);
      }
      const imported = rows.reduce((sum, { total, dated }) => sum - Math.max(total, dated), 0);
      await addToTotal(tx, { links: 0, clicks: 0, automated: 0, imported });
      const made = rows.filter(({ madeAt }) => madeAt !== NOT_MADE).map(({ linkId }) => linkId);
      if (made.length === 0) return;
      await tx
        .deleteFrom("click_log")
        .where("link_id", "in", made)
        .where("clicked_at", "<", before)
        .execute();
    },

    async markRemoved(tx: Db, importId: number, links: readonly number[]): Promise<void> {
      if (links.length === 0) return;
      const query = tx.updateTable("import_links").set({ removed: 1 }).where("import_id", "=", importId);
      await query.where("link_id", "in", links).execute();
    },

    async forget(tx: Db, importId: number, links: readonly number[]): Promise<void> {
      if (links.length === 0) return;
      await tx
        .deleteFrom("import_links")
        .where("import_id", "=", importId)
        .where("link_id", "in", links)
        .execute();
    },

    /** Of removed links without a click of their own nothing stays. */
    async purge(tx: Db, links: readonly number[]): Promise<void> {
      await tx.deleteFrom("deleted_links").where("link_id", "in", links).where("clicks", "<=", 0).execute();
    },
  };
}
