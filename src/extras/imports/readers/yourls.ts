/** YOURLS: a dump of its database, or the database itself. */
import { stat } from "node:fs/promises";
import type { RowDataPacket } from "mysql2";
import { appError, messageOf } from "../../../lib/errors.ts";
import { foreignInstant, foreignTime } from "./foreign-values.ts";
import type { Reader, Source, SourceLink, SourceProblem, SourceVisit } from "./reader.ts";
import { readDump } from "./sql-dump.ts";

type Record_ = { values: ReadonlyMap<string, string | null>; isCut: boolean };
type Table = "url" | "log";

/** The columns of YOURLS 1.7 to 1.10, for dumps without CREATE TABLE. */
const USUAL: Record<Table, readonly string[]> = {
  url: ["keyword", "url", "title", "timestamp", "ip", "clicks"],
  log: ["click_id", "click_time", "shorturl", "referrer", "user_agent", "ip_address", "country_code"],
};
const NEEDED: Record<Table, readonly string[]> = { url: ["keyword", "url"], log: ["click_time", "shorturl"] };

function linkOf({ values, isCut }: Record_, position: number): SourceLink | SourceProblem {
  const code = values.get("keyword") ?? "";
  const target = values.get("url");
  if (isCut || !target) {
    return { position, code, problem: isCut ? "A value is longer than 64 KiB." : "The row has no target." };
  }
  const title = mendedText(values.get("title") ?? "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const isLong = title.length > LONGEST_TITLE;
  return {
    position,
    cells: {
      code,
      target,
      // YOURLS takes the target for a title that it could not read.
      title: title === target ? "" : isLong ? `${title.slice(0, LONGEST_TITLE - 1).toWellFormed()}…` : title,
      created_at: foreignInstant(values.get("timestamp")),
      click_count: values.get("clicks") ?? "",
    },
    ...(isLong && { lost: ["The title is cut to 200 characters."] }),
  };
}
const LONGEST_TITLE = 200;

function visitOf({ values }: Record_, position: number): SourceVisit | SourceProblem {
  const code = values.get("shorturl") ?? "";
  const at = foreignTime(values.get("click_time"));
  if (at === null) return { position, code, problem: "The time of the visit can't be read." };
  const referrer = values.get("referrer");
  return {
    position,
    code,
    at,
    referrer: referrer === "direct" ? null : (referrer ?? null),
    userAgent: values.get("user_agent") ?? null,
    address: values.get("ip_address") ?? null,
    country: values.get("country_code") ?? null,
  };
}

const named = (columns: readonly string[], row: readonly (string | null)[]): Record_["values"] =>
  new Map(columns.map((column, at) => [column.toLowerCase(), row[at] ?? null]));

const hasAll = (columns: readonly string[], needed: readonly string[]) =>
  needed.every((column) => columns.some((known) => known.toLowerCase() === column));

/** The columns of a row of that table; null for others. */
function columnsOf(table: Table, name: string, columns: readonly string[] | null): readonly string[] | null {
  if (columns !== null) return hasAll(columns, NEEDED[table]) ? columns : null;
  return name.endsWith(table) ? USUAL[table] : null;
}

async function openDump(path: string): Promise<Source> {
  let prefix: string | null = null;
  async function* recordsOf(
    table: Table,
    after: number,
  ): AsyncGenerator<Record_ & { position: number }, void> {
    let position = 0;
    const isNeeded = (name: string, columns: readonly string[] | null) =>
      columnsOf(table, name, columns) !== null;
    for await (const row of readDump(path, isNeeded)) {
      const found = row.table.replace(/(?:url|log)$/, "");
      prefix ??= found;
      if (found !== prefix) {
        throw appError(
          "BadRequest",
          `The dump has several installations: ${prefix}${table} and ${row.table}. Dump the tables of one of them.`,
        );
      }
      if (++position <= after) continue;
      const columns = columnsOf(table, row.table, row.columns)!;
      yield { values: named(columns, row.values), isCut: row.isCut, position };
    }
    if (table === "url" && position === 0) {
      throw appError(
        "BadRequest",
        "The file has no links of YOURLS: no INSERT into a table with the columns keyword and url. Make it with: mysqldump --no-tablespaces DATABASE > yourls.sql",
      );
    }
  }
  return {
    async *links(after) {
      for await (const record of recordsOf("url", after)) yield linkOf(record, record.position);
    },
    async *visits(after) {
      for await (const record of recordsOf("log", after)) yield visitOf(record, record.position);
    },
  };
}

async function openDatabase(address: string): Promise<Source> {
  const { createConnection } = await import("mysql2");
  const url = new URL(address);
  const connection = createConnection({
    host: url.hostname,
    port: Number(url.port) || 3306,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    connectTimeout: 10_000,
    charset: "utf8mb4",
    dateStrings: true,
    supportBigNumbers: true,
  });
  // Failures reach the queries.
  connection.on("error", () => undefined);
  const ask = async (text: string) => (await connection.promise().query<RowDataPacket[]>(text))[0];
  const tables = await ask(
    "select table_name as name, group_concat(column_name) as columns from information_schema.columns where table_schema = database() group by table_name limit 1000",
  ).catch((cause: unknown) => {
    connection.destroy();
    throw appError("BadRequest", `The database can't be read: ${messageOf(cause)}`, { cause });
  });
  const find = (table: Table) =>
    tables.filter(
      ({ name, columns }) =>
        String(name).endsWith(table) && hasAll(String(columns).split(","), NEEDED[table]),
    );
  const [found, ...others] = find("url");
  if (found === undefined || others.length > 0) {
    connection.destroy();
    const several = `has several installations: ${find("url")
      .map(({ name }) => name)
      .join(", ")
      .slice(0, 500)}. Dump the tables of one of them and import the file.`;
    throw appError("BadRequest", `The database ${found ? several : "has no links of YOURLS."}`);
  }
  const quote = (name: string) => `\`${name.replaceAll("`", "``")}\``;
  const log = `${String(found["name"]).slice(0, -3)}log`;
  async function* rowsOf(name: string, order: string, after: number) {
    const stream = connection
      .query(`select * from ${quote(name)} order by ${order}`)
      .stream({ highWaterMark: 100 });
    let position = 0;
    for await (const row of stream as AsyncIterable<Record<string, unknown>>) {
      if (++position <= after) continue;
      const values = new Map(
        Object.entries(row).map(([key, value]) => [key.toLowerCase(), value === null ? null : String(value)]),
      );
      yield { values, isCut: false, position };
    }
  }
  const count = async (name: string) =>
    Number((await ask(`select count(*) as n from ${quote(name)}`))[0]!["n"]);
  const hasLog = find("log").some(({ name }) => name === log);
  return {
    size: { links: await count(String(found["name"])), ...(hasLog && { visits: await count(log) }) },
    async *links(after) {
      for await (const record of rowsOf(String(found["name"]), "keyword", after))
        yield linkOf(record, record.position);
    },
    async *visits(after) {
      if (!hasLog) return;
      for await (const record of rowsOf(log, "click_id", after)) yield visitOf(record, record.position);
    },
    async close() {
      connection.destroy();
    },
  };
}

export const yourls: Reader = {
  title: "YOURLS",
  takes: ["file", "address"],
  schemes: ["mysql"],
  notImported: [
    "The address of who made a link is not imported.",
    "Settings of plugins (passwords, expiry) are in tables of their own, which no dump describes; they are not imported.",
  ],
  async open({ source }) {
    if (/^mysql:\/\//i.test(source)) return openDatabase(source);
    const file = await stat(source).catch(() => null);
    if (file?.isFile()) return openDump(source);
    throw appError("BadRequest", `There is no file ${source}.`);
  },
};

/** Code points of windows-1252 from 0x80 on that differ from latin1, by byte. */
const HIGH = new Map(
  [...new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at))].map(
    (char, at) => [char.charCodeAt(0), 0x80 + at],
  ),
);
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Mends UTF-8 that was read as latin1 and written as UTF-8 again ("MÃ¼nchen"), where that is certain: all of the text
 * has a byte in windows-1252, and those bytes are UTF-8. Otherwise the text stays.
 */
function mendedText(text: string): string {
  if (!/[\u00c2-\u00f4]/.test(text)) return text;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = HIGH.get(code) ?? (code <= 0xff ? code : null);
    if (byte === null) return text;
    bytes[at] = byte;
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return text;
  }
}
