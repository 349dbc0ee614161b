import { type Selectable, sql } from "kysely";
import type { Database } from "../../../platform/db/database.ts";
import type { Db } from "../../../platform/db/dialect.ts";
import type { RowFields, Schema } from "../../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../../lib/case-names.ts";
import { appError } from "../../../lib/errors.ts";
import type { Product } from "../readers/products.ts";
import { type MoveOptions, type ImportReport, type ImportState, type Note, type NoteKind } from "./state.ts";

export type StoredImport = RowFields<
  "imports",
  { product: Product; state: ImportState; options: MoveOptions; report: ImportReport }
>;

export type ImportRepository = ReturnType<typeof createImportRepository>;

const importOf = (row: Selectable<Schema["imports"]>): StoredImport => ({
  ...camelCased(row),
  product: row.product as Product,
  state: row.state as ImportState,
  options: JSON.parse(row.options) as MoveOptions,
  report: JSON.parse(row.report) as ImportReport,
});

/** What an import remembers, and how many keys are removed at once. */
const REMEMBERED = {
  import_links: { key: "link_id", most: 1_000 },
  import_entries: { key: "entry_id", most: 1_000 },
  import_clicks: { key: "link_id", most: 50 },
  import_notes: { key: "id", most: 1_000 },
} as const;
const CODE_LENGTH = 200;
const REASON_LENGTH = 500;

export const importNotFound = () => appError("NotFound", "There is no import with this number.");

export function createImportRepository({
  read,
  write,
  dialect,
}: Pick<Database, "read" | "write" | "dialect">) {
  return {
    add: (
      made: Omit<StoredImport, "id" | "linkPlace" | "visitPlace" | "filePlace" | "eventId" | "updatedAt">,
    ): Promise<number> =>
      dialect.insertReturningId(write, "imports", {
        ...snakeCased(made),
        source: made.source.slice(0, 1000),
        updated_at: made.createdAt,
        options: JSON.stringify(made.options),
        report: JSON.stringify(made.report),
        event_id: null,
      }),

    async find(id: number, db: Db = read): Promise<StoredImport> {
      const row = await db.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) throw importNotFound();
      return importOf(row);
    },

    /** Locked until the transaction ends. @throws NotFound */
    async lock(tx: Db, id: number): Promise<StoredImport> {
      const query = tx.selectFrom("imports").selectAll().where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      if (row === undefined) throw importNotFound();
      return importOf(row);
    },

    /** Newest first. */
    async page(before: number | null, limit: number): Promise<StoredImport[]> {
      let query = read.selectFrom("imports").selectAll().orderBy("id", "desc").limit(limit);
      if (before !== null) query = query.where("id", "<", before);
      return (await query.execute()).map(importOf);
    },

    /** The newest thousand. */
    async ofProduct(product: Product): Promise<StoredImport[]> {
      const query = read.selectFrom("imports").selectAll().where("product", "=", product);
      return (await query.orderBy("id", "desc").limit(1_000).execute()).map(importOf);
    },

    /** Oldest first. */
    async inStates(states: readonly ImportState[]): Promise<StoredImport[]> {
      const query = read.selectFrom("imports").selectAll().where("state", "in", states);
      return (await query.orderBy("id").limit(100).execute()).map(importOf);
    },

    async update(
      db: Db,
      id: number,
      { options, report, ...others }: Partial<Omit<StoredImport, "id">>,
      now: number,
    ): Promise<void> {
      const set = {
        ...snakeCased(others),
        ...(options && { options: JSON.stringify(options) }),
        ...(report && { report: JSON.stringify(report) }),
        updated_at: now,
      };
      await db.updateTable("imports").set(set).where("id", "=", id).execute();
    },

    /** That the import made of a link in the source; null without. */
    async linkOf(importId: number, sourceKey: string): Promise<number | null> {
      const query = read.selectFrom("import_links").select("link_id").where("import_id", "=", importId);
      return (await query.where("source_key", "=", sourceKey).executeTakeFirst())?.link_id ?? null;
    },

    /** Those of the keys that the import has links of. */
    async knownSourceKeys(db: Db, importId: number, keys: readonly string[]): Promise<Set<string>> {
      if (keys.length === 0) return new Set();
      const query = db.selectFrom("import_links").select("source_key").where("import_id", "=", importId);
      const rows = await query.where("source_key", "in", keys).execute();
      return new Set(rows.map(({ source_key }) => source_key));
    },

    ...noteQueries({ read, dialect }),

    remove: async (id: number): Promise<void> =>
      void (await write.deleteFrom("imports").where("id", "=", id).execute()),
  };
}

function noteQueries({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    addNotes: (db: Db, importId: number, notes: readonly Note[]): Promise<void> =>
      dialect.insertMany(
        db,
        "import_notes",
        notes.map(({ position, kind, code, reason }) => ({
          import_id: importId,
          place: position,
          kind,
          code: code.slice(0, CODE_LENGTH).toWellFormed(),
          reason: reason.slice(0, REASON_LENGTH).toWellFormed(),
        })),
      ),

    /** Returns notes in their order, after one. */
    async notes(
      importId: number,
      kind: NoteKind | null,
      after: number,
      limit: number,
    ): Promise<(Note & { id: number })[]> {
      let query = read
        .selectFrom("import_notes")
        .select(["id", "place as position", "kind", "code", "reason"]);
      query = query.where("import_id", "=", importId).where("id", ">", after).orderBy("id").limit(limit);
      if (kind !== null) query = query.where("kind", "=", kind);
      return (await query.execute()) as (Note & { id: number })[];
    },

    /** A portion of what an import remembers. False if there is none. */
    async forget(db: Db, importId: number, table: keyof typeof REMEMBERED): Promise<boolean> {
      const { key, most } = REMEMBERED[table];
      const column = sql.ref<number>(key);
      const query = db.selectFrom(table).select(column.as("key")).distinct();
      const found = await query.where("import_id", "=", importId).limit(most).execute();
      if (found.length === 0) return false;
      const gone = db.deleteFrom(table).where("import_id", "=", importId);
      const keys = found.map((row) => row.key);
      await gone.where(column, "in", keys).execute();
      return true;
    },
  };
}
