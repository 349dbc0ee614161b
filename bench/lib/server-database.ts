/** A database of its own on a test server. */
import { sql } from "kysely";
import { openDatabase } from "../../src/platform/db/database.ts";
import { silentLogger } from "../../src/lib/logger.ts";

export const SERVERS = ["postgres", "mariadb", "mysql"] as const;
export type Server = (typeof SERVERS)[number];

/** Null, with a line that says so, if the server's WAYMARK_TEST_…_URL is not set. */
export async function createServerDatabase(
  name: Server,
): Promise<{ url: string; drop(): Promise<void> } | null> {
  const variable = `WAYMARK_TEST_${name.toUpperCase()}_URL`;
  const server = process.env[variable];
  if (server === undefined) {
    console.log(`\n${variable} is not set; ${name} was not measured.`);
    return null;
  }
  const database = `waymark_bench_${process.pid}`;
  const admin = await openDatabase({ url: server, poolSize: 1 }, { threads: false, logger: silentLogger });
  await sql.raw(`create database ${database}`).execute(admin.write);
  const url = new URL(server);
  url.pathname = `/${database}`;
  return {
    url: url.href,
    async drop() {
      const force = name === "postgres" ? " with (force)" : "";
      await sql.raw(`drop database ${database}${force}`).execute(admin.write);
      await admin.close();
    },
  };
}
