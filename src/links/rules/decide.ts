/**
 * Which rule of a link decides for a visitor. Redirects and explanations ask the same conditions; an explanation also
 * says what each one found.
 */
import { formatIp, isInRange, parseIpRange } from "../../lib/ip-address.ts";
import { formatRfc3339, parseRfc3339 } from "../../lib/rfc3339.ts";
import { ownText } from "../../lib/own-text.ts";
import { remembered } from "../../lib/remembered.ts";
import type { Facts } from "./facts.ts";
import { compileHours } from "./hours.ts";
import { isInLanguageRange, preferredLanguage } from "./language.ts";
import type { Conditions, Rule } from "./rule.ts";

type Condition = {
  holds(facts: Facts): boolean;
  /** What the visitor has; null if that is not known. */
  found(facts: Facts): string | null;
};

type ConditionName = keyof Conditions;
type Named = Condition & { name: ConditionName };

/** Why a rule holds or not. */
export type Reason = { condition: ConditionName; holds: boolean; found: string | null };
/** `rule`: its index. */
export type RuleStep = { rule: number; holds: boolean; because: Reason[] };

const listOf = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

const oneOf = (wanted: string | string[], found: (facts: Facts) => string | null): Condition => {
  const words = new Set(listOf(wanted).map((word) => word.toLowerCase()));
  return {
    holds(facts) {
      const word = found(facts);
      return word !== null && words.has(word.toLowerCase());
    },
    found,
  };
};

/** @param ordinal among the conditions `percent` of the link */
type Compile<T> = (wanted: T, ordinal: number) => Condition;

const COMPILERS: { [N in ConditionName]-?: Compile<NonNullable<Conditions[N]>> } = {
  device: (wanted) => oneOf(wanted, (facts) => facts.agent().device),
  os: (wanted) => oneOf(wanted, (facts) => facts.agent().os),
  browser: (wanted) => oneOf(wanted, (facts) => facts.agent().browser),
  language(wanted) {
    const ranges = listOf(wanted).map((range) => range.toLowerCase());
    const found = (facts: Facts) => preferredLanguage(facts.language());
    return {
      holds(facts) {
        const language = found(facts);
        return language !== null && ranges.some((range) => isInLanguageRange(range, language));
      },
      found,
    };
  },
  country: (wanted) => oneOf(wanted, (facts) => facts.country()),
  referrer(wanted) {
    const hosts = listOf(wanted);
    return {
      holds(facts) {
        const from = facts.referrer();
        return from !== null && hosts.some((host) => from === host || from.endsWith(`.${host}`));
      },
      found: (facts) => facts.referrer(),
    };
  },
  query(wanted) {
    const pairs = Object.entries(wanted);
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
  before(wanted) {
    const instant = parseRfc3339(wanted)!;
    return { holds: ({ now }) => now < instant, found: ({ now }) => formatRfc3339(now) };
  },
  after(wanted) {
    const instant = parseRfc3339(wanted)!;
    return { holds: ({ now }) => now >= instant, found: ({ now }) => formatRfc3339(now) };
  },
  hours(wanted) {
    const hours = compileHours(wanted);
    return { holds: ({ now }) => hours.includes(now), found: ({ now }) => hours.shown(now) };
  },
  address(wanted) {
    const ranges = listOf(wanted).map((range) => parseIpRange(range)!);
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
  percent: (wanted, ordinal) => ({
    holds: (facts) => facts.draw(ordinal) < wanted,
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
  const texts = rules.map(({ if: wanted }) =>
    visible(
      Object.entries(wanted).map(([name, value]) => [name, value, name === "percent" ? percents++ : 0]),
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

/** Links made together often have the same conditions. These are kept until the process ends, so their sum is bounded. */
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
      found: condition.found(facts),
    })),
  }));
}
