/** The files of a database on one of the tests' servers. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { DialectName } from "../../src/platform/db/fresh.test-support.ts";
import { withDatabase } from "./database-dump.ts";

const SERVICES =
  process.env["WAYMARK_SERVICES_DIR"] ?? join(import.meta.dir, "..", "..", ".cache", "services");

/** Writes tables anew, as docs/privacy.md says. Returns the folder of the database; null if it can't be read here. */
export const rewriteTables = (name: DialectName, url: string): Promise<string | null> =>
  withDatabase(url, async ({ read, write }) => {
    const run = (text: string) => sql.raw(text).execute(write);
    const one = async (text: string) =>
      String((await sql.raw<{ value: unknown }>(text).execute(read)).rows[0]!.value);
    if (name === "sqlite") return null;
    let folder: string;
    if (name === "postgres") {
      await run("vacuum (full, analyze)");
      await run("vacuum full pg_statistic");
      await run("checkpoint");
      const id = await one("select oid as value from pg_database where datname = current_database()");
      folder = join(await one("select current_setting('data_directory') as value"), "base", id);
    } else {
      for (const table of await read.introspection.getTables()) await run(`optimize table ${table.name}`);
      folder = join(await one("select @@datadir as value"), await one("select database() as value"));
    }
    // MySQL's server runs in a system of its own.
    return [folder, join(SERVICES, "mysql", folder)].find((path) => existsSync(path)) ?? null;
  });
