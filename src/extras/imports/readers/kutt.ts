/** Kutt: its SQLite file, or its PostgreSQL database. It keeps visits as sums of hours. */
import { stat } from "node:fs/promises";
import { appError, messageOf } from "../../../lib/errors.ts";
import { foreignInstant, isTrue, foreignText, foreignTime } from "./foreign-values.ts";
import { type ForeignRow, type RowsRequest, LONGEST_VALUE_BYTES } from "./rows-request.ts";
import type { Reader, SourceLink, SourceProblem, SourceVisit } from "./reader.ts";
import { CUT, sqliteRows } from "./sqlite-rows.ts";

const LINKS = {
  tables: { l: "links", d: "domains" },
  from: "links l left join domains d on d.id = l.domain_id",
  columns: {
    code: "l.address",
    target: "l.target",
    note: "l.description",
    banned: "l.banned",
    password: "l.password",
    expires: "l.expire_in",
    clicks: "l.visit_count",
    created: "l.created_at",
    domainId: "l.domain_id",
    domain: "d.address",
    domainBanned: "d.banned",
  },
  needed: ["l.address", "l.target", "l.domain_id", "d.id", "d.address"],
  by: "l",
} as const;

const VISITS = {
  tables: { v: "visits", l: "links", d: "domains" },
  from: "visits v left join links l on l.id = v.link_id left join domains d on d.id = l.domain_id",
  columns: { code: "l.address", domain: "d.address", at: "v.created_at", count: "v.total" },
  needed: ["v.link_id", "v.created_at", "v.total", "l.id", "l.address", "l.domain_id", "d.id", "d.address"],
  by: "v",
} as const;

function linkOf({ position, isCut, values }: ForeignRow): SourceLink | SourceProblem {
  const code = foreignText(values["code"]);
  if (isCut) return { position, code, problem: CUT };
  if (values["domainId"] !== null && values["domain"] === null) {
    return { position, code, problem: "Its domain is missing in the file." };
  }
  const banned = isTrue(values["banned"]) ? "link" : isTrue(values["domainBanned"]) ? "domain" : null;
  return {
    position,
    cells: {
      code,
      target: foreignText(values["target"]),
      note: foreignText(values["note"]),
      domain: foreignText(values["domain"]),
      password: foreignText(values["password"]),
      click_count: foreignText(values["clicks"]),
      created_at: foreignInstant(values["created"]),
      expires_at: foreignInstant(values["expires"]),
    },
    ...(banned !== null && { disabled: `Its ${banned} is banned in Kutt.` }),
  };
}

function visitsOf({ position, values }: ForeignRow): SourceVisit | SourceProblem {
  const code = foreignText(values["code"]);
  const [at, count] = [foreignTime(values["at"]), Number(values["count"])];
  if (values["code"] === null) return { position, code, problem: "Its link was deleted." };
  if (at === null || !Number.isSafeInteger(count) || count < 1) {
    return { position, code, problem: "The time or the number of visits can't be read." };
  }
  const domain = foreignText(values["domain"]);
  return { position, code, ...(domain !== "" && { domain }), at, count, automated: false };
}

export const kutt: Reader = {
  title: "Kutt",
  takes: ["file", "address"],
  schemes: ["postgres", "postgresql"],
  notImported: [
    "Kutt keeps browsers, systems, countries and referrers as sums of hours, which can't be divided into visits; the visits of each hour are imported without them.",
    "Kutt counts no bots; all of its visits are people.",
    "Accounts are not imported; the links belong to who imports them.",
    "The homepages of domains are not imported; set default_url of the domain.",
  ],
  async open({ source }) {
    const isAddress = /^postgres(?:ql)?:\/\//i.test(source);
    const file = isAddress ? null : await stat(source).catch(() => null);
    if (!isAddress && !file?.isFile()) throw appError("BadRequest", `There is no file ${source}.`);
    const rows = (request: Omit<RowsRequest, "path" | "after">, after: number) =>
      (isAddress ? postgresRows : sqliteRows)({ ...request, path: source, after }, "Kutt");
    return {
      async *links(after) {
        for await (const row of rows(LINKS, after)) yield linkOf(row);
      },
      async *visits(after) {
        for await (const row of rows(VISITS, after)) yield visitsOf(row);
      },
    };
  },
};

const PORTION = 200;
const CONNECT_MS = 10_000;
const QUERY_MS = 60_000;

/** All values are texts, times in UTC. Tables are read by their column `id`. @throws BadRequest */
async function* postgresRows(
  { path: connectionString, tables, from, columns, needed, by, after }: RowsRequest,
  title: string,
): AsyncGenerator<ForeignRow, void> {
  const { Client } = await import("pg");
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
