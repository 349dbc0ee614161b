/** Kutt: its SQLite file, or its PostgreSQL database. It keeps visits as sums of hours. */
import { stat } from "node:fs/promises";
import { appError } from "../../../lib/errors.ts";
import { foreignInstant, isTrue, foreignText, foreignTime } from "./foreign-values.ts";
import { postgresRows } from "./postgres-rows.ts";
import type { Reader, SourceLink, SourceProblem, SourceVisit } from "./reader.ts";
import type { ForeignRow, RowsRequest } from "./rows-request.ts";
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
    "Kutt keeps browsers, systems, countries and referrers as sums of hours, which can't be divided into visits; the visits of each hour are brought without them.",
    "Kutt counts no bots; all of its visits are people.",
    "Accounts are not brought; the links belong to who imports them.",
    "The homepages of domains are not brought; set default_url of the domain.",
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
