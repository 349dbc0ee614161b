/** The columns that `columns=all` adds to the export. An import takes those that its file names. */
import { z } from "zod";
import { csvLine, readCsv } from "../../lib/csv.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { validated } from "../../lib/validated.ts";
import { type LinkFields, linkFields, parseLinkFields } from "../link/fields.ts";
import { domainOf } from "../link/key.ts";
import { readOptions } from "../link/options.ts";
import type { Link } from "../link/link.ts";

export const MORE_COLUMNS = [
  "domain",
  "title",
  "tags",
  "note",
  "starts_at",
  "max_clicks",
  "fallback_url",
  "redirect_status",
  "forward_query",
  "created_by",
] as const;
export type MoreColumn = (typeof MORE_COLUMNS)[number];

const MOST_CELL_BYTES = 8 * 1024;

const fields = z.object({
  ...linkFields,
  created_by: linkFields.title.unwrap().unwrap().max(128).nullish(),
});

/** @param hostOf null for the default domain, whose cell is empty */
export function moreCellsOf(link: Link, hostOf: (domain: number) => string | null): string[] {
  const { startsAt, maxClicks, fallbackUrl, redirectStatus, forwardQuery } = readOptions(link.options);
  return [
    hostOf(domainOf(link.code)) ?? "",
    link.title ?? "",
    // A record of its own, because tags may hold commas.
    csvLine(link.tags).trimEnd(),
    link.note ?? "",
    startsAt === null ? "" : formatRfc3339(startsAt),
    maxClicks === null ? "" : String(maxClicks),
    fallbackUrl ?? "",
    String(redirectStatus),
    String(forwardQuery),
    link.createdBy ?? "",
  ];
}

export type MoreFields = LinkFields & { createdBy: string | null | undefined };

/** An empty cell clears its field, an absent column keeps it. @throws BadRequest, InvalidDateFormat, LinkInvalidUrl */
export function moreFieldsOf(cell: (column: MoreColumn) => string | undefined, now: number): MoreFields {
  const text = (column: MoreColumn) => {
    const value = cell(column);
    return value === undefined ? undefined : value.trim() || null;
  };
  const input = validated(
    fields,
    {
      title: text("title"),
      note: cell("note") === "" ? null : cell("note"),
      tags: tagsIn(text("tags")),
      starts_at: text("starts_at"),
      max_clicks: numberIn(text("max_clicks")),
      fallback_url: text("fallback_url"),
      redirect_status: numberIn(text("redirect_status")),
      forward_query: flagIn(text("forward_query")),
      created_by: text("created_by"),
    },
    "The row",
  );
  return { ...parseLinkFields(input, now), createdBy: input.created_by };
}

/** Other texts fail the schema. */
const numberIn = (text: string | null | undefined): number | string | null | undefined =>
  text && /^\d{1,16}$/.test(text) ? Number(text) : text;

/** Other texts fail the schema. */
const flagIn = (text: string | null | undefined): boolean | string | null | undefined =>
  text && /^(?:true|false)$/i.test(text) ? text.toLowerCase() === "true" : text;

function tagsIn(text: string | null | undefined): readonly string[] | null | undefined {
  if (text === undefined || text === null) return text;
  const [record] = readCsv(Buffer.from(text), MOST_CELL_BYTES);
  if (!record || record.problem !== null) {
    throw appError("BadRequest", "tags must be separated by commas; put a tag with a comma in quotes.");
  }
  return record.fields;
}
