/** Rows of the PostgreSQL database of another program, as sqlite-rows.ts reads those of a file. */
import { Client } from "pg";
import { appError, messageOf } from "../../../lib/errors.ts";
import { type ForeignRow, LONGEST_VALUE_BYTES, type RowsRequest } from "./rows-request.ts";

const PORTION = 200;
const CONNECT_MS = 10_000;
const QUERY_MS = 60_000;

/** All values are texts, times in UTC. Tables are read by their column `id`. @throws BadRequest */
export async function* postgresRows(
  { path: connectionString, tables, from, columns, needed, by, after }: RowsRequest,
  title: string,
): AsyncGenerator<ForeignRow, void> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    types: { getTypeParser: () => (value: string | Buffer) => value.toString() },
  });
  // Failures reach the queries.
  client.on("error", () => undefined);
  const ask = async (text: string, values: readonly unknown[] = []) =>
    (await client.query<Record<string, string | null>>(text, [...values])).rows;
  try {
    await client.connect();
    await ask("set time zone 'UTC'");
    await ask("set default_transaction_read_only = on");
    const known = new Set<string>();
    for (const [alias, table] of Object.entries(tables)) {
      const found = await ask(
        "select column_name as name from information_schema.columns where table_name = $1 and table_schema = any(current_schemas(false))",
        [table],
      );
      for (const { name } of found) known.add(`${alias}.${name}`);
    }
    const missing = needed.find((column) => !known.has(column));
    if (missing !== undefined)
      throw new Error(`It has no ${missing.replace(/^./, (alias) => tables[alias]!)}.`);
    const found = Object.entries(columns).filter(([, column]) => known.has(column));
    const selected = found.map(
      ([, column], at) => `left(${column}::text, ${LONGEST_VALUE_BYTES + 1}) as c${at}`,
    );
    for (let last = after; ; ) {
      const rows = await ask(
        `select ${by}.id as position, ${selected.join(", ")} from ${from} where ${by}.id > $1 order by ${by}.id limit ${PORTION}`,
        [last],
      );
      if (rows.length === 0) return;
      for (const row of rows) {
        last = Number(row["position"]);
        const values: Record<string, string | null> = {};
        for (const name of Object.keys(columns)) values[name] = null;
        for (const [at, [name]] of found.entries()) values[name] = row[`c${at}`] ?? null;
        const isCut = Object.values(values).some((value) => (value?.length ?? 0) > LONGEST_VALUE_BYTES);
        yield { position: last, isCut, values };
      }
    }
  } catch (cause) {
    throw appError("BadRequest", `The database of ${title} can't be read. ${messageOf(cause)}`, { cause });
  } finally {
    await client.end().catch(() => undefined);
  }
}
