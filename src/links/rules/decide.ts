/**
 * Which rule of a link decides for a visitor. Redirects and explanations ask the same conditions; an explanation also
 * reports what each one found.
 */
import { addressGroup, formatIp, isInRange, parseIpRange } from "../../lib/ip-address.ts";
import { formatRfc3339, parseRfc3339 } from "../../lib/rfc3339.ts";
import { ownText } from "../../lib/own-text.ts";
import { remembered } from "../../lib/remembered.ts";
import { type Conditions, DAYS, type Rule } from "./rule.ts";

/** The rest of the header is not read. */
const LONGEST_HEADER = 1_024;
const MOST_LANGUAGES = 32;
const LANGUAGE = /^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)$/;
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The language with the greatest weight by RFC 9110 (12.5.4), in lower case, the first of several; or null. */
const preferredLanguage = (header: string | null): string | null =>
  header === null ? null : preferredIn(header.slice(0, LONGEST_HEADER));

const preferredIn = remembered(preferred, { most: 10_000, longest: 256 });

function preferred(header: string): string | null {
  let best: string | null = null;
  let most = 0;
  const parts = header.toLowerCase().split(",", MOST_LANGUAGES);
  for (const part of parts) {
    const [language = "", ...parameters] = part.split(";").map((one) => one.trim());
    const weights = parameters.filter((one) => one.startsWith("q="));
    const weight = weights.length === 0 ? 1 : Number(WEIGHT.exec(weights[0]!)?.[1] ?? 0);
    if (weight > most && LANGUAGE.test(language)) [best, most] = [language, weight];
  }
  return best;
}

/** Ranges are those of RFC 4647 (3.3.1). @param range in lower case, like the language */
const isInLanguageRange = (range: string, language: string): boolean =>
  range === "*" ||
  (language.startsWith(range) && (language.length === range.length || language[range.length] === "-"));

type Hours = {
  days?: readonly string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  zone: string;
};

/** `day`: 0 is Monday. */
type LocalTime = { day: number; minutes: number };

const MINUTE_MS = 60_000;
const MINUTE_NS = 60_000_000_000;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const two = (number: number): string => String(number).padStart(2, "0");

/** Remembers one minute. */
function localTimeIn(zone: string): (now: number) => LocalTime {
  let known: LocalTime | null = null;
  let minute = Number.NaN;
  return (now) => {
    const requestedMinute = Math.floor(now / MINUTE_MS);
    if (known !== null && requestedMinute === minute) return known;
    const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
    const time = { day: local.dayOfWeek - 1, minutes: local.hour * 60 + local.minute };
    // Until 1972 some zones were seconds off.
    [known, minute] = [local.offsetNanoseconds % MINUTE_NS === 0 ? time : null, requestedMinute];
    return time;
  };
}

/**
 * Local hours of the week. An hour that comes twice, when clocks change, holds twice. A span over midnight belongs to
 * the day on which it begins.
 */
function compileHours({ days, from = "00:00", to = "24:00", zone }: Hours) {
  const localTime = localTimeIn(zone);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const isDay = DAYS.map((day) => days?.includes(day) ?? true);
  const isOverMidnight = start > end;
  return {
    includes(now: number): boolean {
      const { day, minutes } = localTime(now);
      if (!isOverMidnight) return isDay[day]! && minutes >= start && minutes < end;
      return minutes >= start ? isDay[day]! : minutes < end && isDay[(day + 6) % 7]!;
    },
    /** `fri 22:14 Europe/Berlin`. */
    shown(now: number): string {
      const { day, minutes } = localTime(now);
      const hour = Math.floor(minutes / 60);
      return `${DAYS[day]} ${two(hour)}:${two(minutes % 60)} ${zone}`;
    },
  };
}

/** What rules ask about a visitor. Each is read when a condition asks for it. */
export type Facts = {
  /** Epoch ms. */
  readonly now: number;
  /** `device` is one of DEVICES, or another word. */
  agent(): { device: string; os: string; browser: string };
  /** The Accept-Language header; null without one. */
  language(): string | null;
  /** ISO 3166 in upper case; null where it is not known. */
  country(): string | null;
  /** Host in lower case; null without one. */
  referrer(): string | null;
  query(): URLSearchParams;
  /** 16 bytes as of parseIp; null if unknown. */
  address(): Uint8Array | null;
  /** 0 ≤ n < 100, the same for a visitor at each visit. @param ordinal each has other numbers */
  draw(ordinal: number): number;
};

type Condition = {
  holds(facts: Facts): boolean;
  /** What the visitor has; null if that is not known. */
  found(facts: Facts): string | null;
};

type ConditionName = keyof Conditions;
type Named = Condition & { name: ConditionName };

/** Why a rule holds or not. */
export type Reason = { condition: ConditionName; holds: boolean; actual: string | null };
/** `rule`: its index. */
type RuleStep = { rule: number; holds: boolean; because: Reason[] };

const listOf = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

const oneOf = (expected: string | string[], found: (facts: Facts) => string | null): Condition => {
  const words = new Set(listOf(expected).map((word) => word.toLowerCase()));
  return {
    holds(facts) {
      const word = found(facts);
      return word !== null && words.has(word.toLowerCase());
    },
    found,
  };
};

/** @param ordinal among the conditions `percent` of the link */
type Compile<T> = (expected: T, ordinal: number) => Condition;

const COMPILERS: { [N in ConditionName]-?: Compile<NonNullable<Conditions[N]>> } = {
  device: (expected) => oneOf(expected, (facts) => facts.agent().device),
  os: (expected) => oneOf(expected, (facts) => facts.agent().os),
  browser: (expected) => oneOf(expected, (facts) => facts.agent().browser),
  language(expected) {
    const ranges = listOf(expected).map((range) => range.toLowerCase());
    const found = (facts: Facts) => preferredLanguage(facts.language());
    return {
      holds(facts) {
        const language = found(facts);
        return language !== null && ranges.some((range) => isInLanguageRange(range, language));
      },
      found,
    };
  },
  country: (expected) => oneOf(expected, (facts) => facts.country()),
  referrer(expected) {
    const hosts = listOf(expected);
    return {
      holds(facts) {
        const from = facts.referrer();
        return from !== null && hosts.some((host) => from === host || from.endsWith(`.${host}`));
      },
      found: (facts) => facts.referrer(),
    };
  },
  query(expected) {
    const pairs = Object.entries(expected);
    return {
      holds(facts) {
        const query = facts.query();
        return pairs.every(([key, value]) => (value === true ? query.has(key) : query.has(key, value)));
      },
      found(facts) {
        const query = facts.query();
        const kept = pairs.flatMap(([key]) => query.getAll(key).map((value) => [key, value]));
        return kept.length === 0 ? null : new URLSearchParams(kept).toString();
      },
    };
  },
  before(expected) {
    const instant = parseRfc3339(expected)!;
    return { holds: ({ now }) => now < instant, found: ({ now }) => formatRfc3339(now) };
  },
  after(expected) {
    const instant = parseRfc3339(expected)!;
    return { holds: ({ now }) => now >= instant, found: ({ now }) => formatRfc3339(now) };
  },
  hours(expected) {
    const hours = compileHours(expected);
    return { holds: ({ now }) => hours.includes(now), found: ({ now }) => hours.shown(now) };
  },
  address(expected) {
    const ranges = listOf(expected).map((range) => parseIpRange(range)!);
    return {
      holds(facts) {
        const address = facts.address();
        return address !== null && ranges.some((range) => isInRange(address, range));
      },
      found(facts) {
        const address = facts.address();
        return address && formatIp(address);
      },
    };
  },
  percent: (expected, ordinal) => ({
    holds: (facts) => facts.draw(ordinal) < expected,
    found: (facts) => facts.draw(ordinal).toFixed(2),
  }),
};

/** The conditions of each rule of a link, as the redirect reads them. */
export type Rules = {
  readonly conditions: readonly (readonly Named[])[];
  /** Whether one asks for the country of the visitor. */
  readonly asksCountry: boolean;
};

const SEPARATOR = "~";
const OUTSIDE_JSON = /[^\x21-\x7d]/g;

/** The conditions of the rules as one text of visible ASCII. */
export function writeConditions(rules: readonly Rule[]): string {
  let percents = 0;
  const texts = rules.map(({ if: expected }) =>
    visible(
      Object.entries(expected).map(([name, value]) => [name, value, name === "percent" ? percents++ : 0]),
    ),
  );
  return texts.join(SEPARATOR);
}

/** As JSON of visible ASCII, without `~`. Only strings in JSON have other characters. */
export const visible = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    OUTSIDE_JSON,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Equal conditions of any links are one object: what is the same in memory is in the processor's caches. */
const conditionsOf = remembered(
  (text): readonly Named[] =>
    (JSON.parse(text) as [ConditionName, never, number][]).map(([name, value, ordinal]) => ({
      name,
      ...COMPILERS[name](value, ordinal),
    })),
  { most: 10_000, mostCharacters: 1_000_000 },
);

function compile(text: string): Rules {
  const conditions = text.split(SEPARATOR).map(conditionsOf);
  return {
    conditions,
    asksCountry: conditions.some((rule) => rule.some(({ name }) => name === "country")),
  };
}

const compiled = remembered(compile, { most: 1_000, mostCharacters: 1_000_000 });

/**
 * Links made together often have the same conditions. These are kept until the process ends, so their sum is bounded.
 */
const MOST_KEPT = 5_000;
const MOST_KEPT_CHARACTERS = 2_000_000;
const KEPT = "#";
const kept: Rules[] = [];
const numbers = new Map<string, number>();
let keptCharacters = 0;

/** A short name of the conditions, for this process; the text itself if there is no room. */
export function keepConditions(text: string): string {
  let number = numbers.get(text);
  if (number === undefined) {
    if (kept.length >= MOST_KEPT || keptCharacters + text.length > MOST_KEPT_CHARACTERS) return text;
    number = kept.push(compile(text)) - 1;
    numbers.set(ownText(text), number);
    keptCharacters += text.length;
  }
  return `${KEPT}${number}`;
}

/** @param conditions of `writeConditions` or `keepConditions` */
export const compileRules = (conditions: string): Rules =>
  conditions.startsWith(KEPT) ? kept[Number(conditions.slice(KEPT.length))]! : compiled(conditions);

function holds(conditions: readonly Named[], facts: Facts): boolean {
  for (const condition of conditions) if (!condition.holds(facts)) return false;
  return true;
}

/** Index of the first rule that holds, or -1. */
export function decide({ conditions }: Rules, facts: Facts): number {
  for (let at = 0; at < conditions.length; at++) if (holds(conditions[at]!, facts)) return at;
  return -1;
}

/** The rules until the one that decides. */
export function explainRules(rules: Rules, facts: Facts): RuleStep[] {
  const last = decide(rules, facts);
  return rules.conditions.slice(0, last < 0 ? undefined : last + 1).map((conditions, at) => ({
    rule: at,
    holds: at === last,
    because: conditions.map((condition) => ({
      condition: condition.name,
      holds: condition.holds(facts),
      actual: condition.found(facts),
    })),
  }));
}

export type Drawing = { linkId: number; address: string; agent: string };

const RANGE = 2 ** 32;
/** The last hash. A typed array for each one would cost more than hashing. */
const digest = new Uint8Array(32);
const number = new DataView(digest.buffer);

/**
 * Draws numbers that stay the same for a visitor of a link, without a cookie, for the condition `percent`. Nobody
 * without the key can choose them.
 *
 * @param key of the installation, the same in all its processes
 * @returns by ordinal, numbers n with 0 ≤ n < 100 that do not depend on each other
 */
export const createDraw =
  (key: string) =>
  ({ linkId, address, agent }: Drawing) => {
    // One person may change the address within an IPv6 /64 every hour.
    const visitor = `${addressGroup(address)} ${agent}`;
    return (ordinal: number): number => {
      Bun.SHA256.hash(`${key} ${linkId} ${ordinal} ${visitor}`, digest);
      return (number.getUint32(0) / RANGE) * 100;
    };
  };
