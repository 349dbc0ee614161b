import { chunked } from "../../lib/chunked.ts";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";

const CHUNK = 1000;

/** Other codes of links, kept by renames. No link has one as its code; the link's deletion frees them. */
export function createAliasRepository({ read }: Pick<Database, "read">) {
  return {
    /** The codes that are aliases, with the ids of their links. */
    async among(codes: readonly string[], db: Db = read): Promise<Map<string, number>> {
      const found = new Map<string, number>();
      for (const chunk of chunked(codes, CHUNK)) {
        const rows = await db
          .selectFrom("link_aliases")
          .select(["code", "link_id"])
          .where("code", "in", chunk)
          .execute();
        for (const row of rows) found.set(row.code, row.link_id);
      }
      return found;
    },

    async ofLinks(ids: readonly number[], db: Db): Promise<string[]> {
      const codes: string[] = [];
      for (const chunk of chunked(ids, CHUNK)) {
        const rows = await db
          .selectFrom("link_aliases")
          .select("code")
          .where("link_id", "in", chunk)
          .execute();
        codes.push(...rows.map(({ code }) => code));
      }
      return codes;
    },

    async add(tx: Db, code: string, linkId: number, now: number): Promise<void> {
      await tx.insertInto("link_aliases").values({ code, link_id: linkId, created_at: now }).execute();
    },

    async remove(tx: Db, code: string): Promise<void> {
      await tx.deleteFrom("link_aliases").where("code", "=", code).execute();
    },
  };
}
