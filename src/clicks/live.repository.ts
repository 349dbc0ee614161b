import type { Database } from "../platform/db/database.ts";

export type LiveRepository = ReturnType<typeof createLiveRepository>;
export type LiveDrop = Awaited<ReturnType<LiveRepository["dropsAfter"]>>[number];

export function createLiveRepository({ read }: Database) {
  return {
    /** Keys. */
    async codesOf(linkIds: readonly number[]): Promise<Map<number, string>> {
      if (linkIds.length === 0) return new Map();
      const rows = await read
        .selectFrom("links")
        .select(["id", "code"])
        .where("id", "in", [...new Set(linkIds)])
        .execute();
      return new Map(rows.map(({ id, code }) => [id, code]));
    },

    /** 0 without one. */
    async lastDropId(): Promise<number> {
      const query = read.selectFrom("drop_files").select((eb) => eb.fn.max("entry_id").as("last"));
      return Number((await query.executeTakeFirst())?.last ?? 0);
    },

    /** With ids above `after`, ascending. `key`: of the drop box, with its domain; null if it is closed. */
    dropsAfter: (after: number, limit: number) =>
      read
        .selectFrom("drop_files")
        .innerJoin("entries", "entries.id", "drop_files.entry_id")
        .leftJoin("links", "links.id", "drop_files.link_id")
        .select([
          "drop_files.entry_id as fileId",
          "entries.account_id as accountId",
          "entries.parent_id as folderId",
          "links.code as key",
          "entries.name",
          "entries.size",
          "drop_files.sender",
          "drop_files.sender_name as senderName",
          "drop_files.created_at as at",
        ])
        .where("drop_files.entry_id", ">", after)
        .orderBy("drop_files.entry_id")
        .limit(limit)
        .execute(),
  };
}
