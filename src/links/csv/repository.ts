import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { isInternal } from "../link/internal-target.ts";
import { addToTotal, totalsOf } from "../link/query.repository.ts";
import { clickRowOf, CONTENT_COLUMNS, contentOf, type NewLink } from "../write/rows.repository.ts";

export type Existing = {
  id: number;
  code: string;
  target: string;
  ownerId: number | null;
  options: string | null;
};

/** Without `automatedClicks`: the known ones stay, as far as they fit into the new count. */
export type Replacement = Omit<NewLink, "automatedClicks"> & {
  id: number;
  automatedClicks: number | undefined;
};

export type LinkBulkRepository = ReturnType<typeof createLinkBulkRepository>;

/** Arrays have at most 1,000 items. */
export function createLinkBulkRepository({ read, dialect }: Database) {
  return {
    /** Links by codes, and whether they serve shares (internal-target.ts); not locked. */
    async existing(
      codes: readonly string[],
    ): Promise<ReadonlyMap<string, Existing & { isInternal: boolean }>> {
      if (codes.length === 0) return new Map();
      const rows = await read
        .selectFrom("links")
        .select(["id", "code", "target", "owner_id as ownerId", "options"])
        .where("code", "in", codes)
        .execute();
      return new Map(rows.map((row) => [row.code, { ...row, isInternal: isInternal(row.target) }]));
    },

    /** Sets everything but ids, and clicks only `withClicks`. */
    async replace(
      tx: Db,
      links: readonly Replacement[],
      { withClicks }: { withClicks: boolean },
    ): Promise<void> {
      const set = [...CONTENT_COLUMNS, "created_at", "created_by"] as const;
      const rows = links.map((link) => ({
        id: link.id,
        created_at: link.createdAt,
        created_by: link.createdBy,
        ...contentOf(link),
      }));
      await dialect.updateMany(tx, { table: "links", key: "id", set }, rows);
      if (!withClicks || links.length === 0) return;
      const counts = {
        table: "link_clicks",
        key: "link_id",
        set: ["clicks", "ranked", "automated", "ranked_human"],
      } as const;
      const ids = links.map(({ id }) => id);
      const before = await tx
        .selectFrom("link_clicks")
        .select(["link_id as id", "clicks as clickCount", "automated as automatedClicks"])
        .where("link_id", "in", ids)
        .$call(dialect.forUpdate)
        .execute();
      const known = new Map(before.map(({ id, automatedClicks }) => [id, automatedClicks]));
      const after = links.map(({ id, clickCount, automatedClicks }) => {
        const kept = Math.min(known.get(id) ?? 0, clickCount);
        return { id, clickCount, automatedClicks: automatedClicks ?? kept };
      });
      await dialect.updateMany(tx, counts, after.map(clickRowOf));
      await addToTotal(tx, totalsOf(before, -1));
      await addToTotal(tx, totalsOf(after));
    },
  };
}
