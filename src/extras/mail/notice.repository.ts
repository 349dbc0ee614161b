import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

export type NoticeRepository = ReturnType<typeof createNoticeRepository>;

export type LinkFacts = { id: number; key: string; title: string | null; ownerId: number | null };
const MOST_MANAGERS = 20;

export function createNoticeRepository({ read }: Pick<Database, "read">) {
  return {
    async link(id: number, db: Db = read): Promise<LinkFacts | null> {
      const row = await db
        .selectFrom("links")
        .select(["id", "code as key", "title", "owner_id as ownerId"])
        .where("id", "=", id)
        .executeTakeFirst();
      return row ?? null;
    },

    /** By id; of at most 1,000 links those that name a number of clicks. */
    async thresholds(ids: readonly number[]): Promise<Map<number, number>> {
      if (ids.length === 0) return new Map();
      const rows = await read
        .selectFrom("links")
        .select(["id", "options"])
        .where("id", "in", ids)
        .where("options", "like", '%"clickThreshold":%')
        .execute();
      return new Map(rows.map(({ id, options }) => [id, JSON.parse(options!).clickThreshold as number]));
    },

    /** The owner of a folder or file. */
    async accountOf(entryId: number, db: Db = read): Promise<number | null> {
      const query = db.selectFrom("entries").select("account_id as id").where("id", "=", entryId);
      return (await query.executeTakeFirst())?.id ?? null;
    },

    async managers(teamId: number, db: Db = read): Promise<number[]> {
      const rows = await db
        .selectFrom("team_members")
        .select("account_id as id")
        .where("team_id", "=", teamId)
        .where("role", "=", "manager")
        .orderBy("account_id")
        .limit(MOST_MANAGERS)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Shares and drop boxes that end in that time, by id, after one. */
    async ending({ from, to }: { from: number; to: number }, after: number, limit: number) {
      const rows = await read
        .selectFrom("shares")
        .innerJoin("links", "links.id", "shares.link_id")
        .select([
          "shares.link_id as linkId",
          "shares.account_id as accountId",
          "links.code as key",
          "links.title",
          "links.expires_at as endsAt",
        ])
        .where("shares.link_id", ">", after)
        .where("links.expires_at", ">", from)
        .where("links.expires_at", "<=", to)
        .orderBy("shares.link_id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, endsAt: row.endsAt ?? 0 }));
    },
  };
}
