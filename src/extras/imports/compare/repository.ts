import type { Database } from "../../../platform/db/database.ts";
import { countRows } from "../../../platform/db/queries.ts";
import { isInternal } from "../../../links/link/internal-target.ts";
import { codeOf, DEFAULT_DOMAIN, keysOf } from "../../../links/link/key.ts";

export function createCompareRepository({ read }: Pick<Database, "read">) {
  return {
    /** Codes on the default domain that redirect, in their order, after one; of an import: only what it imported. */
    async codes(
      after: string,
      limit: number,
      importId: number | null,
    ): Promise<{ last: string | null; codes: string[] }> {
      const { to } = keysOf(DEFAULT_DOMAIN);
      let query = read.selectFrom("links").select(["links.code", "links.target"]);
      query = query
        .where("links.code", ">", after)
        .where("links.code", "<", to)
        .orderBy("links.code")
        .limit(limit);
      if (importId !== null) {
        const ofImport = read.selectFrom("import_links").select("link_id").where("import_id", "=", importId);
        query = query.where("links.id", "in", ofImport);
      }
      const rows = await query.execute();
      return {
        last: rows.at(-1)?.code ?? null,
        codes: rows.filter(({ target }) => !isInternal(target)).map(({ code }) => codeOf(code)),
      };
    },

    count: (importId: number | null): Promise<number> =>
      importId === null
        ? countRows(read.selectFrom("links"))
        : countRows(read.selectFrom("import_links").where("import_id", "=", importId)),
  };
}
