import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { appError } from "../../lib/errors.ts";
import { NOBODY } from "../../lib/owner.ts";
import { keysOf } from "../link/key.ts";
import { ownerNames } from "../link/owners.repository.ts";
import type { WellKnownDocument } from "../../lib/well-known.ts";
import type { DocumentInfo, OwnedDomain } from "./domain.ts";

export const MOST_DOMAINS = 1_000;

export type DomainRepository = ReturnType<typeof createDomainRepository>;

export function createDomainRepository({ read, dialect }: Database) {
  async function named(db: Db, rows: readonly Row[]): Promise<OwnedDomain[]> {
    const owners = rows.map((row) => row.owner_id);
    const names = await ownerNames(db, owners);
    const documents = await documentsOf(db, rows);
    return rows.map((row) => ({
      ...camelCased(row),
      ignoreCase: row.ignore_case !== 0,
      owner: names.get(row.owner_id ?? NOBODY) ?? null,
      wellKnown: documents.get(row.id) ?? [],
    }));
  }

  /** Without their texts. */
  async function documentsOf(db: Db, rows: readonly Row[]): Promise<Map<number, DocumentInfo[]>> {
    if (rows.length === 0) return new Map();
    const query = db.selectFrom("domain_documents").select(["domain_id", "name", "type", "size", "sha256"]);
    const ids = rows.map(({ id }) => id);
    const found = await query.where("domain_id", "in", ids).orderBy("domain_id").orderBy("name").execute();
    return new Map(
      [...Map.groupBy(found, (row) => row.domain_id)].map(([id, ofDomain]) => [
        id,
        ofDomain.map(({ name, type, size, sha256 }) => ({ name, type, size, sha256 })),
      ]),
    );
  }

  return {
    /** Lists domains by host. */
    async list(db: Db = read): Promise<OwnedDomain[]> {
      const query = db.selectFrom("domains").selectAll().orderBy("host").limit(MOST_DOMAINS);
      return named(db, await query.execute());
    },

    /** Locked until the transaction ends. */
    async lock(tx: Db, id: number): Promise<OwnedDomain | null> {
      const query = tx.selectFrom("domains").selectAll().where("id", "=", id).$call(dialect.forUpdate);
      return (await named(tx, await query.execute()))[0] ?? null;
    },

    /** Those of at most 1,000 that exist, with their owners. They stay until the transaction ends. */
    async keep(tx: Db, ids: readonly number[]): Promise<Map<number, number | null>> {
      if (ids.length === 0) return new Map();
      const query = tx.selectFrom("domains").select(["id", "owner_id"]).where("id", "in", ids).orderBy("id");
      return new Map((await query.$call(dialect.forShare).execute()).map((row) => [row.id, row.owner_id]));
    },

    count: (tx: Db): Promise<number> => countRows(tx.selectFrom("domains")),

    /** Returns its id. @throws Conflict if the host is taken */
    insert: (tx: Db, domain: Omit<OwnedDomain, "id">): Promise<number> =>
      explainViolations(() => dialect.insertReturningId(tx, "domains", rowOf(domain)), {
        unique: hostTaken(domain),
      }),

    /** @throws Conflict if the host is taken */
    async update(tx: Db, { id, ...domain }: OwnedDomain): Promise<void> {
      const query = tx.updateTable("domains").set(rowOf(domain)).where("id", "=", id);
      await explainViolations(() => query.execute(), { unique: hostTaken(domain) });
    },

    /** All of a domain, with their texts. */
    documents: (id: number): Promise<DocumentInfo[]> =>
      read
        .selectFrom("domain_documents")
        .select(["name", "type", "size", "sha256", "text"])
        .where("domain_id", "=", id)
        .orderBy("name")
        .execute(),

    async document(id: number, name: string): Promise<WellKnownDocument | null> {
      const query = read.selectFrom("domain_documents").select(["name", "type", "text"]);
      const found = query.where("domain_id", "=", id).where("name", "=", name);
      return (await found.executeTakeFirst()) ?? null;
    },

    /** Of a locked or new domain. The documents have their texts. */
    async replaceDocuments(tx: Db, id: number, documents: readonly DocumentInfo[]): Promise<void> {
      await tx.deleteFrom("domain_documents").where("domain_id", "=", id).execute();
      const rows = documents.map(({ text = "", ...document }) => ({ ...document, domain_id: id, text }));
      if (rows.length > 0) await dialect.insertMany(tx, "domain_documents", rows);
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
  ({ host }: Pick<OwnedDomain, "host">) =>
  (cause: unknown) =>
    appError("Conflict", `There is already a domain ${host}.`, { cause });

type Row = Selectable<Schema["domains"]>;

function rowOf(domain: Omit<OwnedDomain, "id">) {
  const { owner: _, ignoreCase, wellKnown: __, ...stored } = domain;
  return { ...snakeCased(stored), ignore_case: Number(ignoreCase) };
}
