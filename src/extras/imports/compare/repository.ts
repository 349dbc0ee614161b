import type { Database } from "../../../platform/db/database.ts";
import { countRows } from "../../../platform/db/queries.ts";
import { INTERNAL_SCHEME } from "../../../links/link/internal-target.ts";
import { codeOf, keyOf, keysOf } from "../../../links/link/key.ts";

/** Of which codes: those on a domain; of an import, only what it imported. */
type Choice = { domain: number; importId: number | null };

export function createCompareRepository({ read }: Pick<Database, "read">) {
  /** Links that redirect. */
  function chosen(importId: number | null) {
    const query = read.selectFrom("links").where("links.target", "not like", `${INTERNAL_SCHEME}%`);
    if (importId === null) return query;
    const ofImport = read.selectFrom("import_links").select("link_id").where("import_id", "=", importId);
    return query.where("links.id", "in", ofImport);
  }

  return {
    /** Codes that redirect, in their order, after one. */
    async codes(after: string, limit: number, { domain, importId }: Choice): Promise<string[]> {
      const rows = await chosen(importId)
        .select("links.code")
        .where("links.code", ">", keyOf(domain, after))
        .where("links.code", "<", keysOf(domain).to)
        .orderBy("links.code")
        .limit(limit)
        .execute();
      return rows.map(({ code }) => codeOf(code));
    },

    /** The number of codes on the domain, after one, and that of all on other domains. */
    async count(after: string, { domain, importId }: Choice): Promise<{ here: number; elsewhere: number }> {
      const { from, to } = keysOf(domain);
      const below = countRows(
        chosen(importId).where("links.code", ">", keyOf(domain, after)).where("links.code", "<", to),
      );
      const elsewhere = countRows(
        chosen(importId).where((eb) => eb.or([eb("links.code", "<", from), eb("links.code", ">=", to)])),
      );
      return { here: await below, elsewhere: await elsewhere };
    },
  };
}
