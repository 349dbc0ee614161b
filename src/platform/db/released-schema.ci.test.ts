/**
 * A database of each released version becomes one of this version. db/schema/VERSION/ has the tables of a release, and
 * the names of its steps (scripts/prepare-release.ts). Today's tables stand for one more, to which no step is missing.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import type { Database } from "./database.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";
import { createFresh, DIALECT_NAMES } from "./fresh.test-support.ts";
import { migrateUp, MIGRATIONS } from "./migrate.ts";
import { findSchemaDifferences } from "./schema-check.ts";

const SCHEMAS = join(import.meta.dir, "../../../db/schema");
const RELEASES = readdirSync(SCHEMAS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const QUIET = { logger: silentLogger };
/** SQLite makes them with the virtual table that they belong to. */
const SHADOW = /^CREATE TABLE '/;

const statementsOf = (file: string): string[] =>
  readFileSync(file, "utf8")
    .replace(/^--.*\n+/, "")
    .split(/;\n(?:\n|$)/)
    .filter((text) => text.trim() !== "" && !SHADOW.test(text));

/** Tables stand by name, and some refer to later ones: those are tried again. */
async function runAll(database: Database, statements: string[]): Promise<void> {
  for (let open = statements, last: unknown; open.length > 0; ) {
    const failed: string[] = [];
    for (const text of open)
      await sql
        .raw(text)
        .execute(database.slow)
        .catch((error: unknown) => {
          last = error;
          failed.push(text);
        });
    if (failed.length === open.length) throw last;
    open = failed;
  }
}

for (const release of ["", ...RELEASES])
  describe(release || "now", () =>
    forEachDialect(
      ({ name, openDb }) => {
        const steps: string[] =
          release === ""
            ? MIGRATIONS.map((step) => step.name)
            : JSON.parse(readFileSync(join(SCHEMAS, release, "steps.json"), "utf8"));
        let database: Database;

        beforeAll(async () => {
          database = await openDb();
          if (name === "postgres") await sql`create extension if not exists pg_trgm`.execute(database.slow);
          await runAll(database, statementsOf(join(SCHEMAS, release, `${name}.sql`)));
          await migrateUp(database, { ...QUIET, steps: [] });
          const at = new Date(0).toISOString();
          for (const step of steps)
            await sql`insert into kysely_migration (name, timestamp) values (${sql.join([step, at])})`.execute(
              database.slow,
            );
        });

        test("its steps are still there, and the others make this version of it", async () => {
          const added = MIGRATIONS.map((step) => step.name).filter((step) => !steps.includes(step));
          expect(await migrateUp(database, QUIET)).toEqual(added);
          expect(await findSchemaDifferences(database, MIGRATIONS)).toEqual([]);
        });
      },
      DIALECT_NAMES,
      createFresh,
    ),
  );
