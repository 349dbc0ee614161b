import type { Database } from "../db/database.ts";

export type LiveRepository = {
  /** Keys. */
  codesOf(linkIds: readonly number[]): Promise<Map<number, string>>;
};

export function createLiveRepository({ read }: Pick<Database, "read">): LiveRepository {
  return {
    async codesOf(linkIds) {
      if (linkIds.length === 0) return new Map();
      const rows = await read
        .selectFrom("links")
        .select(["id", "code"])
        .where("id", "in", [...new Set(linkIds)])
        .execute();
      return new Map(rows.map(({ id, code }) => [id, code]));
    },
  };
}
