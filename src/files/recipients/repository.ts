import type { Queries } from "../../platform/db/database.ts";
import { createCodesRepository } from "./codes.repository.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { RowFields } from "../../platform/db/schema.ts";

/** What a visitor of a share or drop box did. */
export type ShareVisit = Omit<
  RowFields<"share_visits", { action: "open" | "download" | "archive" }>,
  "linkId" | "automated"
> & { automated: boolean };

export type DoneVisit = Omit<ShareVisit, "id"> & { linkId: number };

export type RecipientsRepository = ReturnType<typeof createRecipientsRepository>;

export function createRecipientsRepository(database: Queries) {
  const { read } = database;
  return {
    ...createCodesRepository(database),
    ...createVisitQueries(database),

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

    /** The address of a recipient; null if the link has no such recipient. */
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

/** The most visits that a share keeps, and about a hundred more. Older ones go. */
const MOST_VISITS = 10_000;

function createVisitQueries({ read, write, dialect }: Queries) {
  return {
    addVisits: (visits: readonly DoneVisit[]): Promise<void> =>
      dialect.insertMany(
        write,
        "share_visits",
        visits.map(({ linkId, automated, ...visit }) => ({
          ...visit,
          link_id: linkId,
          automated: automated ? 1 : 0,
        })),
      ),

    async trimVisits(linkId: number): Promise<void> {
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
    async visits(linkId: number, before: number | null, limit: number): Promise<ShareVisit[]> {
      const rows = await read
        .selectFrom("share_visits")
        .select(["id", "email", "action", "name", "at", "browser", "os", "automated"])
        .where("link_id", "=", linkId)
        .$if(before !== null, (query) => query.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ action, automated, ...row }) => ({
        ...row,
        action: action as ShareVisit["action"],
        automated: automated === 1,
      }));
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
