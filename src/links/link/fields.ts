/** Fields of a link besides code, target, expiry and password. Absent keeps a value, null or an empty text clears it. */
import { z } from "zod";
import { parseDuration } from "../../lib/duration.ts";
import { appError } from "../../lib/errors.ts";
import { checkHttpUrl, HTTP_URL_FORM } from "../../lib/http-url.ts";
import { formatRfc3339, LATEST_INSTANT, parseRfc3339 } from "../../lib/rfc3339.ts";
import { checkTags, tagList } from "../tags/tag.ts";
import { type LinkOptions, NO_OPTIONS, REDIRECT_STATUSES, readOptions } from "./options.ts";

const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Characters are code points, as in JSON Schema. */
const textOf = (most: number, refused: RegExp) =>
  z
    .string()
    .refine((text) => text.length <= most || (text.length <= 2 * most && [...text].length <= most), {
      message: `must have at most ${most} characters`,
      abort: true,
    })
    .refine((text) => text.isWellFormed() && !refused.test(text), "must have no control characters")
    .meta({ maxLength: most });

export const linkFields = {
  title: textOf(200, CONTROL_CHARACTERS).nullish().describe("found by `search`"),
  note: textOf(2000, CONTROL_BUT_LINES).nullish().describe("found by `search`"),
  tags: tagList.nullish(),
  starts_at: z
    .string()
    .nullish()
    .describe("RFC 3339, or a duration such as 7d; before it the code is not found"),
  max_clicks: z.int().min(1).nullish().describe("how many people may pass; automated visitors use none up"),
  fallback_url: z
    .string()
    .meta(HTTP_URL_FORM)
    .or(z.literal(""))
    .nullish()
    .describe("where the link leads while it has not started, has expired or is used up"),
  redirect_status: z.literal(REDIRECT_STATUSES).nullish().describe("307 when absent"),
  forward_query: z.boolean().nullish().describe("pass the query of the request to the target"),
};
const fieldsSchema = z.object(linkFields);
export type LinkFieldsInput = z.output<typeof fieldsSchema>;

export type LinkFields = {
  title: string | null | undefined;
  note: string | null | undefined;
  tags: readonly string[] | undefined;
  /** Only what changes. */
  options: Partial<LinkOptions>;
};

/** @throws InvalidDateFormat, LinkInvalidUrl, BadRequest (tags) */
export function parseLinkFields(input: LinkFieldsInput, now: number): LinkFields {
  const { title, note, tags, starts_at, max_clicks, fallback_url, redirect_status, forward_query } = input;
  const options: Partial<LinkOptions> = {
    ...(starts_at !== undefined && { startsAt: parseStart(starts_at ?? "", now) }),
    ...(max_clicks !== undefined && { maxClicks: max_clicks }),
    ...(fallback_url !== undefined && { fallbackUrl: parseFallback(fallback_url ?? "") }),
    ...(redirect_status !== undefined && { redirectStatus: redirect_status ?? NO_OPTIONS.redirectStatus }),
    ...(forward_query !== undefined && { forwardQuery: forward_query ?? NO_OPTIONS.forwardQuery }),
  };
  return {
    title: title === undefined ? undefined : title?.trim() || null,
    note: note === undefined ? undefined : note || null,
    tags: tags === undefined ? undefined : checkTags(tags ?? []),
    options,
  };
}

function parseStart(text: string, now: number): number | null {
  if (text === "") return null;
  const wanted = text.trim();
  const length = parseDuration(wanted);
  const instant = length === null ? parseRfc3339(wanted) : now + length;
  if (instant !== null && instant <= LATEST_INSTANT) return instant;
  throw appError(
    "InvalidDateFormat",
    "starts_at must be an instant such as 2026-11-20T13:00:00Z, until the year 9999, or a duration such as 7d or 1d2h30m.",
  );
}

function parseFallback(text: string): string | null {
  if (text === "") return null;
  const url = checkHttpUrl(text);
  if (typeof url === "string") return url;
  throw appError("LinkInvalidUrl", `fallback_url: ${url.error}`);
}

export const linkFieldsView = {
  title: z.string().nullable(),
  note: z.string().nullable(),
  tags: z.array(z.string()),
  created_by: z.string().nullable(),
  starts_at: z.iso.datetime().nullable(),
  max_clicks: z.int().nullable(),
  fallback_url: z.string().nullable(),
  redirect_status: z.literal(REDIRECT_STATUSES),
  forward_query: z.boolean(),
};

type Shown = {
  title: string | null;
  note: string | null;
  tags: readonly string[];
  createdBy: string | null;
  options: string | null;
};

export function viewOfFields({ title, note, tags, createdBy, options }: Shown) {
  const { startsAt, maxClicks, fallbackUrl, redirectStatus, forwardQuery } = readOptions(options);
  return {
    title,
    note,
    tags: [...tags],
    created_by: createdBy,
    starts_at: startsAt === null ? null : formatRfc3339(startsAt),
    max_clicks: maxClicks,
    fallback_url: fallbackUrl,
    redirect_status: redirectStatus,
    forward_query: forwardQuery,
  };
}
