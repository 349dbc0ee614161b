import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { foldKey, keyOf, keysOf } from "../link/key.ts";

export type CaseRepository = ReturnType<typeof createCaseRepository>;

type ReservedCodes = { codes: readonly string[]; prefixes: readonly string[] };

/** Codes of a domain whose case counts no more. */
export function createCaseRepository({ read }: Database) {
  const lower = (db: Db) => db.fn<string>("lower", ["code"]);

  return {
    /** Pairs of keys that differ by case only and lead to different links, of links and aliases. */
    async alike(domain: number, most: number): Promise<{ one: string; other: string }[]> {
      const { from, to } = keysOf(domain);
      const named = read
        .selectFrom("links")
        .select(["code", "id as link_id"])
        .where("code", ">=", from)
        .where("code", "<", to)
        .unionAll(
          read
            .selectFrom("link_aliases")
            .select(["code", "link_id"])
            .where("code", ">=", from)
            .where("code", "<", to),
        );
      return read
        .selectFrom(named.as("named"))
        .select(({ fn }) => [fn.min("code").as("one"), fn.max("code").as("other")])
        .groupBy(lower(read))
        .having(({ fn }) => fn.count("link_id").distinct(), ">", 1)
        .orderBy("one")
        .limit(most)
        .execute();
    },

    /** Keys with capitals that no link may have in lower case. */
    async reserved(domain: number, { codes, prefixes }: ReservedCodes, most: number): Promise<string[]> {
      const keyIn = (code: string) => foldKey(keyOf(domain, code));
      const { from, to } = keysOf(domain);
      const among = (table: "links" | "link_aliases") =>
        read
          .selectFrom(table)
          .select("code")
          .where("code", ">=", from)
          .where("code", "<", to)
          .where("code", "<>", lower(read))
          .where((eb) =>
            eb.or([
              eb(lower(read), "in", [...codes, ...prefixes].map(keyIn)),
              // "0" follows the slash.
              ...prefixes.map((prefix) =>
                eb.and([
                  eb(lower(read), ">", keyIn(`${prefix}/`)),
                  eb(lower(read), "<", keyIn(`${prefix}0`)),
                ]),
              ),
            ]),
          )
          .orderBy("code")
          .limit(most)
          .execute();
      const found = [...(await among("links")), ...(await among("link_aliases"))];
      return found.slice(0, most).map(({ code }) => code);
    },

    /** Keys with capitals after `after`, in their order. */
    async withCapitals(
      table: "links" | "link_aliases",
      domain: number,
      after: string,
      most: number,
    ): Promise<string[]> {
      const { from, to } = keysOf(domain);
      const rows = await read
        .selectFrom(table)
        .select("code")
        .where("code", ">", after || from)
        .where("code", "<", to)
        .where("code", "<>", lower(read))
        .orderBy("code")
        .limit(most)
        .execute();
      return rows.map(({ code }) => code);
    },

    /** Deleted links, which analytics and restores find by their keys. */
    async lowerDeleted(tx: Db, domain: number): Promise<void> {
      const { from, to } = keysOf(domain);
      await tx
        .updateTable("deleted_links")
        .set({ code: lower(tx) })
        .where("code", ">=", from)
        .where("code", "<", to)
        .where("code", "<>", lower(tx))
        .execute();
    },
  };
}
