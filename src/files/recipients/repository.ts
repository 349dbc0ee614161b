import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

export type RecipientsRepository = ReturnType<typeof createRecipientsRepository>;

export function createRecipientsRepository({ read }: Pick<Database, "read">) {
  return {
    /** Addresses by link, in the order in which they were added. */
    async ofLinks(linkIds: readonly number[], db: Db = read): Promise<Map<number, string[]>> {
      const found = new Map<number, string[]>();
      if (linkIds.length === 0) return found;
      const rows = await db
        .selectFrom("share_recipients")
        .select(["link_id as linkId", "email"])
        .where("link_id", "in", linkIds)
        .orderBy("id")
        .execute();
      for (const { linkId, email } of rows) {
        const emails = found.get(linkId);
        if (emails === undefined) found.set(linkId, [email]);
        else emails.push(email);
      }
      return found;
    },

    /** Those who stay keep their ids, to which their proofs are bound. The link is locked. */
    async replace(
      tx: Db,
      linkId: number,
      before: readonly string[],
      after: readonly string[],
    ): Promise<void> {
      const gone = before.filter((email) => !after.includes(email));
      const added = after.filter((email) => !before.includes(email));
      if (gone.length > 0) {
        const query = tx.deleteFrom("share_recipients").where("link_id", "=", linkId);
        await query.where("email", "in", gone).execute();
      }
      if (added.length === 0) return;
      const blank = { link_id: linkId, code_hash: null, code_until: 0, code_tries: 0, codes_full_at: 0 };
      await tx
        .insertInto("share_recipients")
        .values(added.map((email) => ({ ...blank, email })))
        .execute();
    },

    /** Null if it is none of the link. */
    async emailOf(id: number, linkId: number): Promise<string | null> {
      const row = await read
        .selectFrom("share_recipients")
        .select("email")
        .where("id", "=", id)
        .where("link_id", "=", linkId)
        .executeTakeFirst();
      return row?.email ?? null;
    },
  };
}
