/** Rules of a link as requests give and responses show them: the first that holds decides where the link leads. */
import { z } from "zod";
import { type AppError, appError } from "../../lib/errors.ts";
import { HTTP_URL_MAX_BYTES } from "../../lib/http-url.ts";
import { parseIpRange } from "../../lib/ip-address.ts";
import { formatRfc3339, parseRfc3339 } from "../../lib/rfc3339.ts";
import { checkTargetUrl } from "../../lib/target-url.ts";
import { timeZoneName } from "../../lib/time-zone.ts";

const MOST_RULES = 32;
/** Most characters of the rules as JSON. The caches take links of 65,535, with target and fallback. */
const MOST_CHARACTERS = 15_000;
/** Escaped, one takes up to nine. */
const ESCAPED = /[^\x21-\x7e]/g;
const MOST_VALUES = 32;

export const DEVICES = ["mobile", "tablet", "desktop"] as const;
/** From Monday, as in ISO 8601. */
export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** A target that serves a share or drop box in place. */
const SHARE = "share:";
const SHARED_CODE = /^share:([a-zA-Z0-9_.\-/]{1,128})$/;

/** The code of a target `share:CODE`; null for URLs. */
export const sharedCode = (target: string): string | null =>
  target.startsWith(SHARE) ? target.slice(SHARE.length) : null;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const text = (most: number) =>
  z
    .string()
    .refine(
      (given) => given.trim() !== "" && given.length <= most && given.isWellFormed() && !CONTROL.test(given),
      `must be a text of at most ${most} characters`,
    )
    .meta({ minLength: 1, maxLength: most });

const form = (pattern: RegExp, message: string) =>
  z
    .string()
    .refine((given) => pattern.test(given), message)
    .meta({ pattern: pattern.source });

/** One value, or several, any of which may hold. */
const anyOf = <S extends z.ZodType<string, string>>(value: S) =>
  value.or(
    z
      .array(value)
      .refine(({ length }) => length >= 1 && length <= MOST_VALUES, `must have 1 to ${MOST_VALUES} values`)
      .meta({ minItems: 1, maxItems: MOST_VALUES }),
  );

const host = form(
  /^(?=.{1,253}$)[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/,
  "must be a host such as news.example.com, in Punycode",
);
const word = (words: readonly string[]) =>
  z
    .string()
    .refine((given) => words.includes(given), `must be one of ${words.join(", ")}`)
    .meta({ enum: [...words] });
const clockTime = (last: RegExp, is: string) => form(last, `must be ${is}`).meta({ examples: ["18:00"] });
const instant = z
  .string()
  .refine((given) => parseRfc3339(given) !== null, "must be an instant such as 2026-11-20T13:00:00Z")
  .meta({ format: "date-time" });

const hours = z
  .strictObject({
    days: z
      .array(word(DAYS))
      .refine(({ length }) => length >= 1 && length <= DAYS.length, "must have 1 to 7 days")
      .meta({ minItems: 1, maxItems: DAYS.length })
      .optional()
      .describe(`of ${DAYS.join(", ")}; absent: every day`),
    from: clockTime(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "a time from 00:00 to 23:59").optional(),
    to: clockTime(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, "a time from 00:00 to 24:00").optional(),
    zone: z
      .string()
      .refine((given) => timeZoneName(given) !== null, "must be a time zone such as Europe/Berlin"),
  })
  .refine(({ from = "00:00", to = "24:00" }) => from !== to, "must begin and end at different times");

const conditions = {
  device: anyOf(word(DEVICES)),
  os: anyOf(text(64)).describe("as in analytics, such as Android"),
  browser: anyOf(text(64)).describe("as in analytics, such as Firefox"),
  language: anyOf(
    form(/^(?:\*|[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8}){0,7})$/, "must be a language range such as de or pt-BR"),
  ).describe("ranges for the preferred language of the visitor, by RFC 4647, such as de or pt-BR"),
  country: anyOf(form(/^[a-zA-Z]{2}$/, "must be a country by ISO 3166, such as DE")),
  referrer: anyOf(host).describe("host of the page with the link; its subdomains count too"),
  query: z
    .record(z.string(), z.union([z.literal(true), z.string()]))
    .refine(
      (pairs) =>
        Object.keys(pairs).length >= 1 &&
        Object.entries(pairs).every(([key, value]) => [key, value].every(isQueryText)) &&
        Object.keys(pairs).length <= MOST_VALUES,
      `must have 1 to ${MOST_VALUES} keys and values of at most 200 characters`,
    )
    .describe("all of these parameters; true: with any value"),
  before: instant,
  after: instant.describe("from this instant on"),
  hours: hours.describe("local time; from > to ends on the next day"),
  address: anyOf(
    z
      .string()
      .refine((given) => parseIpRange(given) !== null, "must be an address or a range such as 192.0.2.0/24"),
  ),
  percent: z.number().min(0).max(100).describe("share of the visitors that come to this rule"),
};
const isQueryText = (given: string | true): boolean =>
  given === true || (given.length <= 200 && given.isWellFormed() && !CONTROL.test(given));

const rule = z.strictObject({
  if: z
    .strictObject(conditions)
    .partial()
    .refine((given) => Object.values(given).some((value) => value !== undefined), "must have a condition"),
  target: z
    .string()
    .max(HTTP_URL_MAX_BYTES)
    .describe("URL, or share:CODE for a share or drop box of the same account"),
});

rule.register(z.globalRegistry, { id: "LinkRule" });

/** The name of a condition in responses. */
export const conditionName = z.enum(Object.keys(conditions) as (keyof typeof conditions)[]);

export type Rule = z.output<typeof rule>;
export type Conditions = Rule["if"];

export const rulesShown = z.array(rule);
export const rulesSchema: z.ZodType<Rule[], Rule[]> = z
  .array(rule)
  .refine(({ length }) => length <= MOST_RULES, `must have at most ${MOST_RULES} entries`)
  .meta({ maxItems: MOST_RULES });

/** Conditions about what requests inside a share lack. */
const LOST_INSIDE = ["query", "referrer"] as const;

/** Returns null for an empty list. @throws BadRequest, LinkInvalidUrl */
export function parseRules(
  given: readonly Rule[],
  { name = "rules", schemes = [] }: { name?: string; schemes?: readonly string[] } = {},
): Rule[] | null {
  if (given.length === 0) return null;
  const rules = given.map(({ if: conditionsOfRule, target }, at) => ({
    if: canonical(conditionsOfRule),
    target: parseRuleTarget(target, `${name}.${at}.target`, schemes),
  }));
  for (const [at, { if: conditionsOfRule, target }] of rules.entries()) {
    const lost =
      sharedCode(target) === null
        ? undefined
        : LOST_INSIDE.find((one) => conditionsOfRule[one] !== undefined);
    if (lost === undefined) continue;
    const why = "can't lead to share:CODE, because visits inside the share do not have it any more";
    throw invalidRule("BadRequest", `${name}.${at}.if.${lost}`, `${why}; give the short URL of the share`);
  }
  const { length } = JSON.stringify(rules).replaceAll(ESCAPED, "%xx%xx%xx");
  if (length <= MOST_CHARACTERS) return rules;
  throw invalidRule("BadRequest", name, `must take at most ${MOST_CHARACTERS} characters together`);
}

/** What people call systems and browsers, and what analytics calls them. */
const SYNONYMS = {
  os: {
    iphone: "iOS",
    ipad: "iOS",
    ipados: "iOS",
    mac: "macOS",
    "mac os": "macOS",
    "os x": "macOS",
    "mac os x": "macOS",
    chromeos: "Chrome OS",
  },
  browser: { edge: "Microsoft Edge", "samsung internet": "Samsung Internet for Android" },
} as const satisfies Record<string, Record<string, string>>;

/** The name that analytics has for a system or browser; others stay as they are. */
export function agentPartName(part: keyof typeof SYNONYMS, given: string): string {
  const synonyms: Partial<Record<string, string>> = SYNONYMS[part];
  return synonyms[given.trim().toLowerCase()] ?? given;
}

const UPPER = ["country"] as const;
const LOWER = ["language", "referrer"] as const;

/** Sorts conditions in the order of the table, so that equal ones are equal texts. */
function canonical(given: Conditions): Conditions {
  const set = Object.keys(conditions).flatMap((name) => {
    const value = given[name as keyof Conditions];
    return value === undefined ? [] : [[name, value] as const];
  });
  const known: Conditions = Object.fromEntries(set);
  for (const name of ["os", "browser"] as const)
    if (known[name]) known[name] = mapped(known[name], (one) => agentPartName(name, one));
  for (const name of UPPER) if (known[name]) known[name] = mapped(known[name], (one) => one.toUpperCase());
  for (const name of LOWER) if (known[name]) known[name] = mapped(known[name], (one) => one.toLowerCase());
  for (const name of ["before", "after"] as const)
    if (known[name]) known[name] = formatRfc3339(parseRfc3339(known[name])!);
  return known;
}

const mapped = <T>(value: string | string[], as: (one: string) => T) =>
  Array.isArray(value) ? value.map(as) : as(value);

/** Of a rule. @throws LinkInvalidUrl */
export function parseRuleTarget(given: string, field: string, schemes: readonly string[]): string {
  const target = given.trim();
  if (target.startsWith(SHARE)) {
    if (SHARED_CODE.test(target)) return target;
    throw invalidRule("LinkInvalidUrl", field, "must name the code of a share, such as share:photos");
  }
  const checked = checkTargetUrl(target, schemes);
  if (typeof checked === "string") return checked;
  throw appError("LinkInvalidUrl", `${field}: ${checked.error}`, { field });
}

export const invalidRule = (
  name: "BadRequest" | "LinkInvalidUrl",
  field: string,
  message: string,
): AppError => appError(name, `${field} ${message}.`, { field });
