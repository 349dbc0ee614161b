import { foundInChunks } from "../../lib/chunked.ts";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";

const CHUNK = 1000;

/** Other codes of links, kept by renames. No link has one as its code; the link's deletion frees them. */
export function createAliasRepository({ read }: Pick<Database, "read">) {
  return {
    /** The codes that are aliases, with the ids of their links. */
    async among(codes: readonly string[], db: Db = read): Promise<Map<string, number>> {
      const query = db.selectFrom("link_aliases").select(["code", "link_id"]);
      const rows = await foundInChunks(codes, CHUNK, (chunk) => query.where("code", "in", chunk).execute());
      return new Map(rows.map((row) => [row.code, row.link_id]));
    },

    async ofLinks(ids: readonly number[], db: Db): Promise<string[]> {
      const query = db.selectFrom("link_aliases").select("code");
      const rows = await foundInChunks(ids, CHUNK, (chunk) => query.where("link_id", "in", chunk).execute());
      return rows.map(({ code }) => code);
    },

    async add(tx: Db, code: string, linkId: number, now: number): Promise<void> {
      await tx.insertInto("link_aliases").values({ code, link_id: linkId, created_at: now }).execute();
    },

    async remove(tx: Db, code: string): Promise<void> {
      await tx.deleteFrom("link_aliases").where("code", "=", code).execute();
    },
  };
}
