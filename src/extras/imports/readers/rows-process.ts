/**
 * The process that reads the SQLite file of another program: a crafted file can make one query take forever, and SQLite
 * can't be interrupted. It sends a portion of rows for each line that it receives, and ends with its input.
 */
import { Database } from "bun:sqlite";
import { messageOf } from "../../../lib/errors.ts";
import {
  type Cell,
  LONGEST_VALUE_BYTES,
  type ForeignRow,
  type RowsResponse,
  type RowsRequest,
} from "./rows-request.ts";

const PORTION = 200;
/** Characters of a portion, about. */
const PORTION_TEXT = 256 * 1024;
const MOST_ROW_ID = Number.MAX_SAFE_INTEGER;

export async function sendRows(): Promise<void> {
  let rows: Iterator<ForeignRow> | null = null;
  let begun = "";
  for await (const text of Bun.stdin.stream().pipeThrough(new TextDecoderStream())) {
    begun += text;
    for (let end = begun.indexOf("\n"); end !== -1; end = begun.indexOf("\n")) {
      const line = begun.slice(0, end);
      begun = begun.slice(end + 1);
      let reply: RowsResponse;
      try {
        rows ??= rowsOf(JSON.parse(line) as RowsRequest);
        reply = { rows: portionOf(rows) };
      } catch (error) {
        reply = { problem: messageOf(error) };
      }
      await Bun.write(Bun.stdout, `${JSON.stringify(reply)}\n`);
    }
  }
}

function portionOf(rows: Iterator<ForeignRow>): ForeignRow[] {
  const portion: ForeignRow[] = [];
  for (let text = 0; portion.length < PORTION && text < PORTION_TEXT; ) {
    const { done, value } = rows.next();
    if (done) break;
    portion.push(value);
    for (const cell of Object.values(value.values)) text += typeof cell === "string" ? cell.length : 8;
  }
  return portion;
}

function* rowsOf({
  path,
  tables,
  from,
  columns,
  needed,
  by,
  after,
}: RowsRequest): Generator<ForeignRow, void> {
  const database = new Database(path, { readonly: true });
  // Its program may be writing.
  database.run("pragma busy_timeout = 10000");
  database.run("pragma trusted_schema = off");
  database.run("pragma query_only = on");
  database.run("pragma cell_size_check = on");
  const known = new Set<string>();
  for (const [alias, table] of Object.entries(tables)) {
    for (const name of plainColumns(database, table)) known.add(`${alias}.${name}`);
  }
  const missing = needed.find((column) => !known.has(column));
  if (missing !== undefined) {
    const [alias = "", name] = missing.split(".");
    throw new Error(`It has no table ${tables[alias]} with the column ${name}.`);
  }
  const found = Object.entries(columns).filter(([, column]) => known.has(column));
  const isLong = (column: string) => `coalesce(octet_length(${column}), 0) > ${LONGEST_VALUE_BYTES}`;
  const selected = found.map(([, column], at) => `iif(${isLong(column)}, null, ${column}) as c${at}`);
  const query = database.query<Record<string, Cell | Uint8Array>, [number]>(
    `select ${by}.rowid as position, ${found.map(([, column]) => isLong(column)).join(" or ")} as cut, ${selected.join(", ")} from ${from} where ${by}.rowid > ? order by ${by}.rowid`,
  );
  let last = after;
  for (const row of query.iterate(after)) {
    const position = Number(row["position"]);
    // A damaged tree can go round in circles.
    if (!(position > last && position <= MOST_ROW_ID)) throw new Error("Its rows are out of order.");
    last = position;
    const values: Record<string, Cell> = {};
    for (const name of Object.keys(columns)) values[name] = null;
    for (const [at, [name]] of found.entries()) {
      const value = row[`c${at}`]!;
      values[name] = value instanceof Uint8Array ? Buffer.from(value).toString() : value;
    }
    yield { position, isCut: row["cut"] === 1, values };
  }
}

/** Returns the columns of a real table, whose values nothing computes. */
function plainColumns(database: Database, table: string): string[] {
  const found = database
    .query<{ is_plain: number }, [string]>(
      "select type = 'table' and sql not like 'create virtual%' as is_plain from sqlite_schema where name = ?",
    )
    .get(table);
  if (found?.is_plain !== 1) return [];
  return database
    .query<{ name: string }, [string]>("select name from pragma_table_xinfo(?) where hidden = 0")
    .all(table)
    .map(({ name }) => name);
}
