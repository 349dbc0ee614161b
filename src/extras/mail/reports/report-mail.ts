/** Mails with the figures of a report page, at its hours: schemas, views, and when they are due. */
import { z } from "zod";
import { cursorQuery } from "../../../lib/cursor.ts";
import { emailSchema } from "../../../lib/email-address.ts";
import { LANGUAGES } from "../../../lib/language.ts";
import { namedObject } from "../../../lib/named-object.ts";
import { formatRfc3339 } from "../../../lib/rfc3339.ts";
import { addDays, zonedDayOf, zonedInstantOf } from "../../../reports/days.ts";
import { MOST_DAYS, newReport, type ReportView, reportView } from "../../../reports/report.ts";

export const EVERY = ["day", "week", "month"] as const;
export type Every = (typeof EVERY)[number];

/** Days of a mail that names none: as many as lie between two of them. */
export const DAYS_OF: Readonly<Record<Every, number>> = { day: 1, week: 7, month: 30 };

export const READER_STATES = ["waiting", "active", "ended"] as const;
export type ReaderState = (typeof READER_STATES)[number];

const MOST_READERS = 50;

const at = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 08:00")
  .describe("time of the day, in the zone of the reports; weeks begin on Monday, months on the 1st")
  .meta({ examples: ["08:00"] });
const to = z
  .array(emailSchema)
  .min(1)
  .max(MOST_READERS)
  .describe("mail addresses; those that are no account's confirm before they get one");
const language = z
  .enum(LANGUAGES)
  .optional()
  .describe("of the mails to addresses that are no account's; those of accounts have the account's");
const days = z
  .int()
  .min(1)
  .max(MOST_DAYS)
  .describe("whole days before the mail; absent: 1, 7 or 30, as often as it comes");

export const newReportMail = namedObject("NewReportMail", {
  page_id: z.int().min(1).optional().describe("an existing page to send; then leave out title and filter"),
  title: newReport.shape.title.optional().describe("of the mail and of the page that it leads to"),
  filter: newReport.shape.filter,
  days: days.optional(),
  owner: newReport.shape.owner,
  every: z.enum(EVERY),
  at,
  to,
  language,
});
export type NewReportMail = z.output<typeof newReportMail>;

export const reportMailChange = namedObject("ReportMailUpdate", {
  title: newReport.shape.title.optional(),
  filter: newReport.shape.filter,
  days: days.optional(),
  every: z.enum(EVERY).optional(),
  at: at.optional(),
  to: to.optional(),
  language,
  ask_again: z
    .array(emailSchema)
    .max(MOST_READERS)
    .optional()
    .describe("addresses that have ended the mails, or not confirmed them: they get one mail that asks"),
});
export type ReportMailChange = z.output<typeof reportMailChange>;

export const reportMailQuery = z.object(cursorQuery);

const readerView = namedObject("ReportReader", {
  email: z.string(),
  state: z
    .enum(READER_STATES)
    .describe("waiting: has not confirmed. ended: the reader wants no more of these mails."),
  changed_at: z.iso.datetime(),
});

export const reportMailView = namedObject("ReportMail", {
  id: z.int(),
  page_id: z.int(),
  title: z.string().nullable(),
  filter: reportView.shape.filter,
  days: z.int().nullable(),
  short_url: z.url().describe("of the page"),
  owner: z.string().nullable(),
  every: z.enum(EVERY),
  at: z.string(),
  to: z.array(z.string()),
  readers: z.array(readerView),
  next_at: z.iso.datetime(),
  last_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
});
export type ReportMailView = z.output<typeof reportMailView>;

export type ReportReader = {
  id: number;
  email: string;
  language: string;
  state: ReaderState;
  token: string;
  changedAt: number;
};

export type StoredReportMail = {
  id: number;
  linkId: number;
  every: Every;
  minute: number;
  nextAt: number;
  lastAt: number | null;
  createdAt: number;
};

export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const timeOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");

export const viewOfReportMail = (
  mail: StoredReportMail & { readers: readonly ReportReader[] },
  page: ReportView,
): ReportMailView => ({
  id: mail.id,
  page_id: page.id,
  title: page.title,
  filter: page.filter,
  days: page.days,
  short_url: page.short_url,
  owner: page.owner,
  every: mail.every,
  at: timeOf(mail.minute),
  to: mail.readers.map(({ email }) => email),
  readers: mail.readers.map(({ email, state, changedAt }) => ({
    email,
    state,
    changed_at: formatRfc3339(changedAt),
  })),
  next_at: formatRfc3339(mail.nextAt),
  last_at: mail.lastAt === null ? null : formatRfc3339(mail.lastAt),
  created_at: formatRfc3339(mail.createdAt),
});

type Plan = { every: Every; minute: number };

const FIRST_MONDAY = Date.parse("1970-01-05");
const WEEK_MS = 7 * 86_400_000;

const isDayOf = (every: Every, day: string): boolean =>
  every === "day" ||
  (every === "month" ? day.endsWith("-01") : (Date.parse(day) - FIRST_MONDAY) % WEEK_MS === 0);

function dueFrom(
  { every, minute }: Plan,
  zone: string,
  day: string,
  step: 1 | -1,
  fits: (at: number) => boolean,
) {
  for (let tried = day; ; tried = addDays(tried, step)) {
    if (!isDayOf(every, tried)) continue;
    const due = zonedInstantOf(zone, tried, minute);
    if (fits(due)) return { day: tried, at: due };
  }
}

/** The first time after an instant. */
export const nextDue = (plan: Plan, zone: string, after: number): number =>
  dueFrom(plan, zone, zonedDayOf(zone, after), 1, (due) => due > after).at;

/** The last time up to an instant, and its day. */
export const lastDue = (plan: Plan, zone: string, until: number): { day: string; at: number } =>
  dueFrom(plan, zone, zonedDayOf(zone, until), -1, (due) => due <= until);
