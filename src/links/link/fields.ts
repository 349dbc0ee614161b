/**
 * The fields of a link besides code, domain, target, expiry, password and clicks, one row a field, in the order of the
 * API. Requests, responses, stored rows, CSV, options of commands, events and the history follow from it
 * (field-values.ts). A new field is a row of OPTIONS, unless the database has to search or sort by it.
 */
import {
  cardField,
  choiceField,
  countField,
  flagField,
  heldField,
  rulesField,
  tagsField,
  textField,
  timeField,
  urlField,
} from "./field-kinds.ts";

const REDIRECT_STATUSES = [301, 302, 307, 308] as const;

/** Each in the column of `links` with its name. */
export const COLUMNS = {
  title: textField({
    most: 200,
    is: "found by `search`",
    option: ["--title <text>", "title, at most 200 characters"],
    heading: "TITLE",
  }),
  note: textField({
    most: 2000,
    lines: true,
    is: "found by `search`",
    option: ["--note <text>", "note, at most 2,000 characters"],
    heading: "NOTE",
  }),
};

/** Tags have tables of their own. */
export const TAGS = { tags: tagsField() };

/** Set when the link is made, and by an import. */
const MADE = { created_by: textField({ most: 128, heading: "BY" }) };

/** Set by reviews, by the allowed targets, and by an import. */
const REVIEWED = {
  held: heldField({ is: "why the link leads nowhere until an administrator decides", heading: "HELD" }),
};

/** Fields of links that redirect. */
export const CHOSEN = {
  /** Before it the code leads nowhere. */
  starts_at: timeField({
    is: "RFC 3339, or a duration such as 7d; before it the code is not found",
    option: ["--starts <when>", "not found before: RFC 3339, or a duration such as 7d"],
    heading: "STARTS",
  }),
  max_clicks: countField({
    is: "how many people may pass; automated visitors use none up",
    option: ["--max-clicks <number>", "people who may pass"],
    heading: "MAX",
  }),
  /** Where expired, used-up and not yet started links lead. */
  fallback_url: urlField({
    is: "where the link leads while it has not started, has expired or is used up",
    option: ["--fallback <url>", "where it leads before its start, after its expiry or when used up"],
    heading: "FALLBACK",
  }),
  redirect_status: choiceField(REDIRECT_STATUSES, 307, {
    is: "307 when absent",
    option: ["--status <code>", "301, 302, 307 (default) or 308", { values: REDIRECT_STATUSES }],
    heading: "STATUS",
  }),
  /** All pairs of the request's query go to the target. */
  forward_query: flagField({
    is: "pass the query of the request to the target",
    option: ["--forward-query", "pass the query of the request to the target"],
    heading: "QUERY",
    word: "forwarded",
    off: "do not pass it",
  }),
  /** What follows the code in the path of a request goes to the target's path: redirect/near-links.ts. */
  forward_path: flagField({
    is: "append what follows the code in the path of the request to the path of the target",
    option: ["--forward-path", "append what follows the code in the request's path to the target's path"],
    heading: "PATH",
    word: "forwarded",
    off: "do not append it",
  }),
  /** Where the link leads instead of its target, by visitor and time: rules/. */
  rules: rulesField({
    is: "in order; the first that holds decides where the link leads, else its target",
    option: ["--rules <json>", "rules as JSON, or a file with them (- for standard input)"],
    heading: "RULES",
  }),
  card: cardField({
    is: "title, description and https image that previews of messengers and networks show",
    option: ["--card <json>", "title, description and image for previews, as JSON, or a file with it"],
    heading: "CARD",
  }),
  /** Instead of 100, 1,000, 10,000 …; the redirect does not see it. */
  click_threshold: countField({
    is: "the owner is notified at this number of human clicks; null: at 100, 1,000, 10,000 …",
    option: ["--click-threshold <number>", "human clicks at which the owner is told"],
    heading: "TELL AT",
  }),
};

/** Fields in `links.options`, which is null for a link that only redirects. */
export const OPTIONS = { ...CHOSEN, ...REVIEWED };

/** What requests set. */
export const CONTENT = { ...COLUMNS, ...TAGS, ...CHOSEN };

export const LINK_FIELDS = { ...COLUMNS, ...TAGS, ...MADE, ...OPTIONS };
