import type { Selectable } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { explainViolations } from "../../db/failures.ts";
import type { Schema } from "../../db/schema.ts";
import { snakeCased } from "../../lib/case-names.ts";
import { appError } from "../../lib/errors.ts";
import { keysOf } from "../link/key.ts";
import type { Domain } from "./domain.ts";

export const MOST_DOMAINS = 1_000;

export type DomainRepository = ReturnType<typeof createDomainRepository>;

export function createDomainRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    /** By host. */
    async list(db: Db = read): Promise<Domain[]> {
      const rows = await db.selectFrom("domains").selectAll().orderBy("host").limit(MOST_DOMAINS).execute();
      return rows.map(toDomain);
    },

    /** Locked until the transaction ends. */
    async lock(tx: Db, id: number): Promise<Domain | null> {
      const query = tx.selectFrom("domains").selectAll().where("id", "=", id).$call(dialect.forUpdate);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : toDomain(row);
    },

    /** Those of at most 1,000 that exist. They stay until the transaction ends. */
    async keep(tx: Db, ids: readonly number[]): Promise<Set<number>> {
      if (ids.length === 0) return new Set();
      const query = tx.selectFrom("domains").select("id").where("id", "in", ids).orderBy("id");
      return new Set((await query.$call(dialect.forShare).execute()).map(({ id }) => id));
    },

    async count(tx: Db): Promise<number> {
      const query = tx.selectFrom("domains").select((eb) => eb.fn.countAll<number>().as("n"));
      return Number((await query.executeTakeFirstOrThrow()).n);
    },

    /** Returns its id. @throws Conflict if the host is taken */
    insert: (tx: Db, domain: Omit<Domain, "id">): Promise<number> =>
      explainViolations(() => dialect.insertReturningId(tx, "domains", snakeCased(domain)), {
        unique: hostTaken(domain),
      }),

    /** @throws Conflict if the host is taken */
    async update(tx: Db, { id, ...domain }: Domain): Promise<void> {
      const query = tx.updateTable("domains").set(snakeCased(domain)).where("id", "=", id);
      await explainViolations(() => query.execute(), { unique: hostTaken(domain) });
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("domains").where("id", "=", id).execute();
    },

    /** Aliases count. Call it on a locked domain. */
    async hasLinks(tx: Db, id: number): Promise<boolean> {
      const { from, to } = keysOf(id);
      for (const table of ["links", "link_aliases"] as const) {
        const query = tx.selectFrom(table).select("code").where("code", ">=", from).where("code", "<", to);
        // Not from an older snapshot.
        if ((await query.limit(1).$call(dialect.forShare).execute()).length > 0) return true;
      }
      return false;
    },
  };
}

const hostTaken =
  ({ host }: Pick<Domain, "host">) =>
  (cause: unknown) =>
    appError("Conflict", `There is already a domain ${host}.`, { cause });

/** Without its owner, which the installation is. */
const toDomain = ({ id, host, ...row }: Selectable<Schema["domains"]>): Domain => ({
  id,
  host,
  defaultUrl: row.default_url,
  notFoundUrl: row.not_found_url,
  expiredUrl: row.expired_url,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
