/**
 * Compiles each distinct query of the suites on SQLite for PostgreSQL, MySQL and MariaDB, and lets the server explain it
 * on an empty database with all tables, which fails for what it would refuse. SQLite explains the recursive ones: a step
 * must begin with the rows found so far, or it reads a whole tree for each of them. `npm test` with WAYMARK_TEST_QUERIES=FOLDER records the queries.
 *
 *   bin/bun scripts/explain-queries.ts FOLDER    needs WAYMARK_TEST_*_URL; the last line is "N explained, N failed"
 */
import { deserialize } from "bun:jsc";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CompiledQuery, createQueryId, type Kysely } from "kysely";
import { silentLogger } from "../src/lib/logger.ts";
import { type Database, openDatabase } from "../src/platform/db/database.ts";
import { DIALECT_NAMES, serverUrl } from "../src/platform/db/fresh.test-support.ts";
import {
  PartMissing,
  type RecordedQuery,
  translate,
} from "../src/platform/db/recorded-queries.test-support.ts";
import { createMigrated } from "../src/platform/db/schema-copy.test-support.ts";

/** Queries that only SQLite is asked, by a part of their text, with the reason. */
const SQLITE_ONLY: Readonly<Record<string, string>> = {
  pragma: "statements of SQLite itself",
  sqlite_: "tables of SQLite itself",
  vacuum: "statements of SQLite itself",
  link_texts: "its index for searches of links",
  entry_name: "its index for searches of names",
};

/** What a recursive step reads first: the table that the query names so. */
const RECURSIVE_TABLE = /^SCAN (?:around|below|inside|line)$/;

function readQueries(folder: string): RecordedQuery[] {
  const byKey = new Map<string, RecordedQuery>();
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    for (const query of deserialize(bytes) as RecordedQuery[]) byKey.set(query.key, query);
  }
  return [...byKey.values()];
}

/** Explains what it is given to execute, and returns no rows. */
function explaining(db: Database["write"]): Kysely<never> {
  const executor = db.getExecutor();
  const explainer = {
    transformQuery: executor.transformQuery.bind(executor),
    compileQuery: executor.compileQuery.bind(executor),
    executeQuery: async (query: CompiledQuery) => {
      await executor.executeQuery({ ...query, sql: `explain ${query.sql}` });
      return { rows: [] };
    },
  };
  const { executeQuery } = explainer;
  return { getExecutor: () => explainer, executeQuery } as unknown as Kysely<never>;
}

type RecordedNode = Extract<RecordedQuery, { node: unknown }>;
const compile = ({ dialect, write }: Database, { node, parts }: RecordedNode): CompiledQuery =>
  write.getExecutor().compileQuery(translate(node, parts, dialect), createQueryId());

/** On the server of the URL, or in the file. */
const openQuietly = (url: string): Promise<Database> =>
  openDatabase({ url, poolSize: 2 }, { threads: false, logger: silentLogger });

async function explain(database: Database, query: RecordedQuery): Promise<void> {
  const { dialect, write } = database;
  if ("method" in query) {
    const call = dialect[query.method] as (db: unknown, ...args: unknown[]) => Promise<unknown>;
    await call(explaining(write), ...query.args);
    return;
  }
  const compiled = compile(database, query);
  if (!/^\s*\(?\s*(?:with|select|insert|update|delete|replace)\b/i.test(compiled.sql)) return;
  const parameters = compiled.parameters.map((value) => (isStandIn(value) ? 1 : value));
  await write.getExecutor().executeQuery({ ...compiled, parameters, sql: `explain ${compiled.sql}` });
}

/** What the recursive steps of a query read first, other than the rows that the step before has found. */
async function wrongBeginnings({ write }: Database, { sql, parameters }: CompiledQuery): Promise<string[]> {
  const executor = write.getExecutor();
  const explained = CompiledQuery.raw(
    `explain query plan ${sql}`,
    parameters.map(() => 1),
  );
  const { rows } = await executor.executeQuery<{ detail: string }>(explained);
  const plan = rows.map(({ detail }) => detail);
  const firsts = plan.filter((_, at) => plan[at - 1] === "RECURSIVE STEP");
  return firsts.filter((detail) => !RECURSIVE_TABLE.test(detail));
}

/** The number of recursive queries and of those with a wrong plan. */
async function explainRecursions(all: readonly RecordedQuery[]): Promise<[number, number]> {
  const fresh = await createMigrated("sqlite");
  const database = await openQuietly(fresh.url);
  const recursive = all.filter((query) => "node" in query).filter(({ key }) => /with recursive/i.test(key));
  let wrong = 0;
  for (const query of recursive) {
    const found = await wrongBeginnings(database, compile(database, query));
    if (found.length > 0) wrong++;
    for (const detail of found) console.log(`sqlite: ${query.file}: ${detail}\n  ${query.key.slice(0, 400)}`);
  }
  await database.close();
  await fresh.drop();
  return [recursive.length, wrong];
}

/** Whether a prepared query was recorded with it, while it was built (prepared.ts). Every column takes the text of 1. */
const isStandIn = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "argument" in value && "item" in value;

const [folder = ""] = process.argv.slice(2);
const queries = readQueries(folder).filter(
  ({ key }) => !Object.keys(SQLITE_ONLY).some((part) => key.toLowerCase().includes(part)),
);
let failed = 0;
let explained = 0;
for (const name of DIALECT_NAMES.filter((one) => one !== "sqlite" && serverUrl(one) !== undefined)) {
  const fresh = await createMigrated(name);
  const database = await openQuietly(fresh.url);
  for (const query of queries) {
    try {
      await explain(database, query);
      explained++;
    } catch (error) {
      if (error instanceof PartMissing) continue;
      failed++;
      const { cause } = error as { cause?: unknown };
      console.log(`${name}: ${query.file}: ${String(cause ?? error)}\n  ${query.key.slice(0, 400)}`);
    }
  }
  await database.close();
  await fresh.drop();
}
const [recursive, wrong] = await explainRecursions(queries);
console.log(`${recursive} recursive queries, ${wrong} with a wrong plan`);
console.log(`${queries.length} distinct queries: ${explained} explained, ${failed + wrong} failed`);
process.exitCode = failed + wrong > 0 || recursive === 0 || explained === 0 ? 1 : 0;
