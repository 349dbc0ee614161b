/** Tests on MySQL and MariaDB begin with a copy of the schema. */
import { expect, test } from "bun:test";
import { sql } from "kysely";
import { silentLogger } from "../lib/logger.ts";
import { openDatabase } from "./database.ts";
import type { Db } from "./dialect.ts";
import { createFresh, serverUrl } from "./fresh.test-support.ts";
import { migrateUp } from "./migrate.ts";
import { createMigrated } from "./schema-copy.test-support.ts";

/** Definitions and numbers of rows, by table. */
async function contentsOf(db: Db): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const { name } of await db.introspection.getTables({ withInternalKyselyTables: true })) {
    const shown = await sql<{ "Create Table": string }>`show create table ${sql.table(name)}`.execute(db);
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    // MySQL names a column's character set where the statement named it.
    const definition = shown.rows[0]!["Create Table"].replaceAll("CHARACTER SET utf8mb4 ", "");
    found[name] = [definition, rows.length];
  }
  return found;
}

for (const name of ["mysql", "mariadb"] as const) {
  test.skipIf(serverUrl(name) === undefined)(
    `a copied schema is that of the migrations: ${name}`,
    async () => {
      await (await createMigrated(name)).drop();
      const [copied, fresh] = [await createMigrated(name), await createFresh(name)];
      const [copy, migrated] = await Promise.all(
        [copied, fresh].map(({ url }) =>
          openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger }),
        ),
      );
      expect(await migrateUp(copy!, { logger: silentLogger })).toEqual([]);
      await migrateUp(migrated!, { logger: silentLogger });
      const [made, wanted] = [await contentsOf(copy!.slow), await contentsOf(migrated!.slow)];
      expect(made).toEqual(wanted);
      expect(Object.keys(made).length).toBeGreaterThan(40);
      await Promise.all([copy!.close(), migrated!.close()]);
      await Promise.all([copied.drop(), fresh.drop()]);
    },
  );
}
