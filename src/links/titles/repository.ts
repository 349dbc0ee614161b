import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

export type TitleRepository = ReturnType<typeof createTitleRepository>;
export type UntitledLink = Awaited<ReturnType<TitleRepository["portion"]>>[number];

export function createTitleRepository({ read, write }: Database) {
  return {
    /** Links that wait for a title, with ids above `after`, in the order of their ids. */
    portion: (after: number, limit: number) =>
      read
        .selectFrom("title_fetches")
        .innerJoin("links", "links.id", "title_fetches.link_id")
        .select(["links.id", "links.target", "links.title", "links.options"])
        .where("title_fetches.link_id", ">", after)
        .orderBy("title_fetches.link_id")
        .limit(limit)
        .execute(),

    /** False if it waits no more. */
    async take(linkId: number): Promise<boolean> {
      const query = write.deleteFrom("title_fetches").where("link_id", "=", linkId);
      return Number((await query.executeTakeFirst()).numDeletedRows) > 0;
    },

    /** The column `target_hash` stays: no person has set the title. */
    async setTitle(tx: Db, { id, title, now }: { id: number; title: string; now: number }): Promise<void> {
      await tx.updateTable("links").set({ title, updated_at: now }).where("id", "=", id).execute();
    },
  };
}
