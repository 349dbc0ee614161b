import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import type { Product } from "../readers/products.ts";
import { type MoveOptions, type ImportReport, type ImportState, type Note, type NoteKind } from "./state.ts";

export type StoredImport = {
  id: number;
  product: Product;
  source: string;
  file: string | null;
  secret: string | null;
  state: ImportState;
  createdAt: number;
  createdBy: string;
  updatedAt: number;
  options: MoveOptions;
  report: ImportReport;
  linkPlace: number;
  visitPlace: number;
  eventId: number | null;
};

export type ImportRepository = ReturnType<typeof createImportRepository>;

const COLUMNS = [
  "id",
  "product",
  "source",
  "file",
  "secret",
  "state",
  "created_at as createdAt",
  "created_by as createdBy",
  "updated_at as updatedAt",
  "options",
  "report",
  "link_place as linkPlace",
  "visit_place as visitPlace",
  "event_id as eventId",
] as const;

type Row = Omit<StoredImport, "options" | "report" | "product" | "state"> &
  Record<"options" | "report" | "product" | "state", string>;

const importOf = (row: Row): StoredImport => ({
  ...row,
  product: row.product as Product,
  state: row.state as ImportState,
  options: JSON.parse(row.options) as MoveOptions,
  report: JSON.parse(row.report) as ImportReport,
});

const REMOVED_AT_ONCE = 1_000;
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
      made: Omit<StoredImport, "id" | "linkPlace" | "visitPlace" | "eventId" | "updatedAt">,
    ): Promise<number> =>
      dialect.insertReturningId(write, "imports", {
        product: made.product,
        source: made.source.slice(0, 1000),
        file: made.file,
        secret: made.secret,
        state: made.state,
        created_at: made.createdAt,
        created_by: made.createdBy,
        updated_at: made.createdAt,
        options: JSON.stringify(made.options),
        report: JSON.stringify(made.report),
        event_id: null,
      }),

    async find(id: number, db: Db = read): Promise<StoredImport> {
      const row = await db.selectFrom("imports").select(COLUMNS).where("id", "=", id).executeTakeFirst();
      if (row === undefined) throw importNotFound();
      return importOf(row);
    },

    /** Locked until the transaction ends. @throws NotFound */
    async lock(tx: Db, id: number): Promise<StoredImport> {
      const query = tx.selectFrom("imports").select(COLUMNS).where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      if (row === undefined) throw importNotFound();
      return importOf(row);
    },

    /** Newest first. */
    async page(before: number | null, limit: number): Promise<StoredImport[]> {
      let query = read.selectFrom("imports").select(COLUMNS).orderBy("id", "desc").limit(limit);
      if (before !== null) query = query.where("id", "<", before);
      return (await query.execute()).map(importOf);
    },

    /** The newest thousand. */
    async ofProduct(product: Product): Promise<StoredImport[]> {
      const query = read.selectFrom("imports").select(COLUMNS).where("product", "=", product);
      return (await query.orderBy("id", "desc").limit(1_000).execute()).map(importOf);
    },

    /** Oldest first. */
    async inStates(states: readonly ImportState[]): Promise<StoredImport[]> {
      const query = read.selectFrom("imports").select(COLUMNS).where("state", "in", states);
      return (await query.orderBy("id").limit(100).execute()).map(importOf);
    },

    async update(db: Db, id: number, set: Partial<Omit<StoredImport, "id">>, now: number): Promise<void> {
      const changed = {
        ...(set.state !== undefined && { state: set.state }),
        ...(set.options !== undefined && { options: JSON.stringify(set.options) }),
        ...(set.report !== undefined && { report: JSON.stringify(set.report) }),
        ...(set.file !== undefined && { file: set.file }),
        ...(set.secret !== undefined && { secret: set.secret }),
        ...(set.source !== undefined && { source: set.source }),
        ...(set.linkPlace !== undefined && { link_place: set.linkPlace }),
        ...(set.visitPlace !== undefined && { visit_place: set.visitPlace }),
        ...(set.eventId !== undefined && { event_id: set.eventId }),
      };
      await db
        .updateTable("imports")
        .set({ ...changed, updated_at: now })
        .where("id", "=", id)
        .execute();
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
        notes.map(({ place, kind, code, reason }) => ({
          import_id: importId,
          place,
          kind,
          code: code.slice(0, CODE_LENGTH).toWellFormed(),
          reason: reason.slice(0, REASON_LENGTH).toWellFormed(),
        })),
      ),

    /** In their order, after one. */
    async notes(
      importId: number,
      kind: NoteKind | null,
      after: number,
      limit: number,
    ): Promise<(Note & { id: number })[]> {
      let query = read.selectFrom("import_notes").select(["id", "place", "kind", "code", "reason"]);
      query = query.where("import_id", "=", importId).where("id", ">", after).orderBy("id").limit(limit);
      if (kind !== null) query = query.where("kind", "=", kind);
      return (await query.execute()) as (Note & { id: number })[];
    },

    /** At most 1,000 rows of what an import remembers. False if there is none. */
    async forget(
      db: Db,
      importId: number,
      table: "import_links" | "import_clicks" | "import_notes",
    ): Promise<boolean> {
      if (table === "import_notes") {
        const ids = await read
          .selectFrom(table)
          .select("id")
          .where("import_id", "=", importId)
          .limit(REMOVED_AT_ONCE)
          .execute();
        if (ids.length > 0)
          await db
            .deleteFrom(table)
            .where(
              "id",
              "in",
              ids.map(({ id }) => id),
            )
            .execute();
        return ids.length > 0;
      }
      const links = await db
        .selectFrom(table)
        .select("link_id")
        .distinct()
        .where("import_id", "=", importId)
        .limit(table === "import_links" ? REMOVED_AT_ONCE : 50)
        .execute();
      if (links.length === 0) return false;
      const ids = links.map(({ link_id }) => link_id);
      await db.deleteFrom(table).where("import_id", "=", importId).where("link_id", "in", ids).execute();
      return true;
    },
  };
}
