import { foundInChunks } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

const CHUNK = 1000;

/** Other codes of links, kept by renames. No link has one as its code; the link's deletion frees them. */
export function createAliasRepository({ read }: Pick<Database, "read">) {
  function rowsOf(ids: readonly number[], db: Db) {
    const query = db.selectFrom("link_aliases").select(["code", "link_id"]);
    return foundInChunks(ids, CHUNK, (chunk) => query.where("link_id", "in", chunk).execute());
  }

  return {
    /** The codes that are aliases, with the ids of their links. */
    async among(codes: readonly string[], db: Db = read): Promise<Map<string, number>> {
      const query = db.selectFrom("link_aliases").select(["code", "link_id"]);
      const rows = await foundInChunks(codes, CHUNK, (chunk) => query.where("code", "in", chunk).execute());
      return new Map(rows.map((row) => [row.code, row.link_id]));
    },

    ofLinks: async (ids: readonly number[], db: Db): Promise<string[]> =>
      (await rowsOf(ids, db)).map(({ code }) => code),

    async byLink(ids: readonly number[], db: Db = read): Promise<Map<number, string[]>> {
      const found = Map.groupBy(await rowsOf(ids, db), (row) => row.link_id);
      return new Map([...found].map(([id, rows]) => [id, rows.map(({ code }) => code)]));
    },

    async add(tx: Db, code: string, linkId: number, now: number): Promise<void> {
      await tx.insertInto("link_aliases").values({ code, link_id: linkId, created_at: now }).execute();
    },

    async remove(tx: Db, code: string): Promise<void> {
      await tx.deleteFrom("link_aliases").where("code", "=", code).execute();
    },
  };
}
