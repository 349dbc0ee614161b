import type { Database } from "../../platform/db/database.ts";
import type { DoneVisit, RecipientVisit } from "./visit.ts";

export type RecipientVisitsRepository = ReturnType<typeof createRecipientVisitsRepository>;

/** Of a share. Older ones go. */
const MOST_VISITS = 10_000;

export function createRecipientVisitsRepository({ read, write }: Pick<Database, "read" | "write">) {
  return {
    async addVisit({ linkId, email, action, name, at }: DoneVisit): Promise<void> {
      await write.insertInto("share_visits").values({ link_id: linkId, email, action, name, at }).execute();
      const [oldest] = await read
        .selectFrom("share_visits")
        .select("id")
        .where("link_id", "=", linkId)
        .orderBy("id", "desc")
        .limit(1)
        .offset(MOST_VISITS)
        .execute();
      if (oldest === undefined) return;
      const query = write.deleteFrom("share_visits").where("link_id", "=", linkId);
      await query.where("id", "<=", oldest.id).execute();
    },

    /** Newest first, below an id. */
    async visits(linkId: number, before: number | null, limit: number): Promise<RecipientVisit[]> {
      const rows = await read
        .selectFrom("share_visits")
        .select(["id", "email", "action", "name", "at"])
        .where("link_id", "=", linkId)
        .$if(before !== null, (query) => query.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, action: row.action as RecipientVisit["action"] }));
    },

    /** Those of before that time, of at most `limit`; returns how many. */
    async removeVisits(before: number, limit: number): Promise<number> {
      const rows = await read
        .selectFrom("share_visits")
        .select(["id", "at"])
        .orderBy("id")
        .limit(limit)
        .execute();
      const old = rows.filter(({ at }) => at < before).map(({ id }) => id);
      if (old.length > 0) await write.deleteFrom("share_visits").where("id", "in", old).execute();
      return old.length;
    },
  };
}
