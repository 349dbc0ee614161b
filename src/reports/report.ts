/** A report: a code that leads to a page with the figures of the links that a filter finds. Schemas and views. */
import { z } from "zod";
import { clickQuery } from "../clicks/analytics/schemas.routes.ts";
import { cursorQuery } from "../lib/cursor.ts";
import { badField } from "../lib/errors.ts";
import { namedObject } from "../lib/named-object.ts";
import { queryText } from "../lib/query-text.ts";
import { formatRfc3339, parseRfc3339 } from "../lib/rfc3339.ts";
import type { ServedFields } from "../links/link/events.ts";
import { codeOf, domainOf } from "../links/link/key.ts";
import { createSchema, type HostOf, type Link, PASSWORD_MASK, patchSchema } from "../links/link/link.ts";
import { shortUrl } from "../links/link/short-url.ts";

/** As the reports of the API take it. A field that is none would widen the report, so it is refused. */
export const reportFilter = clickQuery.strict();
reportFilter.register(z.globalRegistry, { id: "ReportFilter" });
export type ReportFilter = z.output<typeof reportFilter>;

const alone = z
  .string()
  .max(1_000)
  .transform((one) => (one === "" ? [] : [one]));
/** A list of one may be its only text, and empty texts count as absent. */
const givenFilter = reportFilter.extend({
  code: reportFilter.shape.code.or(alone),
  tag: reportFilter.shape.tag.or(alone),
});
givenFilter.register(z.globalRegistry, { id: "NewReportFilter" });

/** As stored: links by their ids, so that a report keeps its links when their codes change. */
export const storedFilter = z.object({
  /** The owner who chose the filter. */
  by: z.int(),
  /** Null: the filter names no codes. */
  links: z.array(z.int()).nullable(),
  filter: reportFilter.omit({ code: true }),
  /** What the names in the filter name. Older reports have none. */
  ids: z
    .object({ domain: z.int().optional(), owner: z.int().optional(), team: z.int().optional() })
    .optional(),
});
export type FilterIds = NonNullable<StoredFilter["ids"]>;
export type StoredFilter = z.output<typeof storedFilter>;

/** `days`: up to today, which counts. Else from the first to the last day, both included. */
export type ReportDays =
  | { days: number; firstDay: null; lastDay: null }
  | { days: null; firstDay: string; lastDay: string };

export type StoredReport = StoredFilter & ReportDays;

export type ReportRecord = Link &
  StoredReport & {
    /** Its filter names something that is gone. */
    lacksNamed: boolean;
    /** Codes in the filter; null: it names none. */
    codes: readonly string[] | null;
    /** Mails that bring it. */
    mails: number;
  };

export const MOST_DAYS = 1_100;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const PASSWORD_MIN_CHARACTERS = 8;

const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-11-20")
  .refine((text) => parseRfc3339(`${text}T00:00:00Z`) !== null, "must be a day such as 2026-11-20")
  .meta({ format: "date" });

const daysFields = {
  days: z
    .int()
    .min(1)
    .max(MOST_DAYS)
    .nullish()
    .describe(`the last days, with today; ${DEFAULT_DAYS} without from and to`),
  from: day.nullish().describe("first day, in the zone of the reports; with to"),
  to: day.nullish().describe("last day, included"),
};
const daysSchema = z.object(daysFields);
export type DaysInput = z.output<typeof daysSchema>;

const password = createSchema.shape.password
  .refine(
    (text) => !text || [...text].length >= PASSWORD_MIN_CHARACTERS,
    `must have at least ${PASSWORD_MIN_CHARACTERS} characters`,
  )
  .meta({ pattern: String.raw`^(?:[\s\S]{${PASSWORD_MIN_CHARACTERS},})?$` });

const contentFields = { filter: givenFilter.optional(), ...daysFields };

export const newReport = createSchema
  .pick({ code: true, domain: true, expires_at: true, owner: true })
  .extend({
    title: z.string().trim().min(1).max(200).describe("the heading of the page"),
    password: password.describe(`at least ${PASSWORD_MIN_CHARACTERS} characters; none when empty or absent`),
    ...contentFields,
  });
newReport.register(z.globalRegistry, { id: "NewReportPage" });
export type NewReport = z.output<typeof newReport>;

export const reportChange = patchSchema
  .pick({
    code: true,
    keep_old: true,
    domain: true,
    expires_at: true,
    title: true,
    owner: true,
    target: true,
  })
  .extend({
    password: password.describe(`at least ${PASSWORD_MIN_CHARACTERS} characters; null removes it`),
    ...contentFields,
  });
reportChange.register(z.globalRegistry, { id: "ReportPageUpdate" });
export type ReportChange = z.output<typeof reportChange>;

/** What `report` of a link is. */
export const reportUse = z.strictObject(contentFields);

export const reportListQuery = z.object({
  ...cursorQuery,
  search: queryText(512).optional().describe("text in the code or title, case-insensitive"),
  owner: queryText(100).optional().describe("of this account, or of a team as team:{name}"),
});

export const reportView = namedObject("ReportPage", {
  id: z.int(),
  code: z.string(),
  domain: z.string().nullable().describe("host; null: the default domain"),
  short_url: z.url(),
  title: z.string().nullable(),
  filter: reportFilter,
  days: z.int().nullable().describe("the last days, with today"),
  from: z.string().nullable().describe("first day, if days is null"),
  to: z.string().nullable(),
  expires_at: z.iso.datetime().nullable(),
  password: z.literal(PASSWORD_MASK).nullable(),
  owner: z.string().nullable().describe("whose links it shows: account, or team:{name}"),
  paused: z
    .boolean()
    .describe(
      "visitors find nothing, because its owner has changed or what its filter names is gone: set the filter again to open it",
    ),
  mails: z.int().describe("mails that bring it regularly"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ReportView = z.output<typeof reportView>;

/** A report that went to another owner would show others' links, unless it names its own. */
export const isPaused = ({ by, links, ownerId }: StoredFilter & { ownerId: number | null }): boolean =>
  links === null && ownerId !== by;

export const filterView = ({ filter, codes }: Pick<ReportRecord, "filter" | "codes">): ReportFilter => ({
  ...(codes !== null && { code: [...codes] }),
  ...filter,
});

export const viewOfReportPage = (report: ReportRecord, origin: string, hostOf: HostOf): ReportView => {
  const host = hostOf(domainOf(report.code));
  return {
    id: report.id,
    code: codeOf(report.code),
    domain: host,
    short_url: shortUrl(origin, host, codeOf(report.code)),
    title: report.title,
    filter: filterView(report),
    days: report.days,
    from: report.firstDay,
    to: report.lastDay,
    expires_at: report.expiresAt === null ? null : formatRfc3339(report.expiresAt),
    password: report.passwordHash === null ? null : PASSWORD_MASK,
    owner: report.ownerName,
    paused: isPaused(report) || report.lacksNamed,
    mails: report.mails,
    created_at: formatRfc3339(report.createdAt),
    updated_at: formatRfc3339(report.updatedAt),
  };
};

/** The days after a change; absent ones stay. @throws BadRequest */
export function daysAfter(before: ReportDays | null, { days, from, to }: DaysInput): ReportDays {
  const known = before ?? { days: DEFAULT_DAYS, firstDay: null, lastDay: null };
  const isRange = (from ?? to ?? null) !== null;
  if (isRange && (days ?? null) !== null)
    throw badField("days", "days is the last days up to today; leave it out with from and to.");
  if (typeof days === "number") return { days, firstDay: null, lastDay: null };
  if (!isRange) return { days: known.days, firstDay: known.firstDay, lastDay: known.lastDay } as ReportDays;
  const [firstDay, lastDay] = [from ?? known.firstDay, to ?? known.lastDay];
  if (firstDay === null) throw badField("from", "from is needed with to.");
  if (lastDay === null) throw badField("to", "to is needed with from.");
  const count = (Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS + 1;
  if (count < 1) throw badField("to", "to is a day before from.");
  if (count > MOST_DAYS) throw badField("to", `A report has at most ${MOST_DAYS} days.`);
  return { days: null, firstDay, lastDay };
}

/** The fields of events. */
export const servedReport = ({
  by,
  links,
  filter,
  ids,
  days,
  firstDay,
  lastDay,
}: StoredReport): ServedFields => ({
  filter: JSON.stringify({ by, links, filter, ids }),
  ...(days !== null && { days }),
  ...(firstDay !== null && { from: firstDay }),
  ...(lastDay !== null && { to: lastDay }),
});

const pastFields = z.object({
  filter: z.string(),
  days: z.int().nullish(),
  from: z.string().nullish(),
  to: z.string().nullish(),
});

/** What a code showed in a state of its history, as `servedReport` wrote it; null if that can't be read. */
export function pastReport(state: Readonly<Record<string, unknown>>): StoredReport | null {
  const fields = pastFields.safeParse(state);
  const stored = fields.success ? readStoredFilter(fields.data.filter) : null;
  return stored && { ...stored, ...daysAfter(null, fields.data!) };
}

/** Null for JSON that is no filter. */
export function readStoredFilter(json: string): StoredFilter | null {
  const read = storedFilter.safeParse(JSON.parse(json));
  return read.success ? read.data : null;
}
