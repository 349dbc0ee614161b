/**
 * Which rule of a link decides for a visitor. Redirects and explanations ask the same conditions; an explanation also
 * says what each one found.
 */
import { formatIp, isInRange, parseIpRange } from "../../lib/ip-address.ts";
import { formatRfc3339, parseRfc3339 } from "../../lib/rfc3339.ts";
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

/** A rule as the redirect reads it. */
export type CompiledRule = { conditions: readonly Named[]; target: string };

/** Equal conditions of any links are one object: what is the same in memory is in the processor's caches. */
const conditionsOf = remembered(
  (text): readonly Named[] =>
    (JSON.parse(text) as [ConditionName, never, number][]).map(([name, value, ordinal]) => ({
      name,
      ...COMPILERS[name](value, ordinal),
    })),
  { most: 10_000, mostCharacters: 1_000_000 },
);

/** The conditions of each rule, as texts by which equal ones are known. */
export function writeConditions(rules: readonly Rule[]): string[] {
  let percents = 0;
  return rules.map(({ if: wanted }) =>
    JSON.stringify(
      Object.entries(wanted).map(([name, value]) => [name, value, name === "percent" ? percents++ : 0]),
    ),
  );
}

/** @param conditions as `writeConditions` made them */
export const compileRules = (conditions: readonly string[], targets: readonly string[]): CompiledRule[] =>
  targets.map((target, at) => ({ conditions: conditionsOf(conditions[at]!), target }));

function holds({ conditions }: CompiledRule, facts: Facts): boolean {
  for (const condition of conditions) if (!condition.holds(facts)) return false;
  return true;
}

/** Index of the first rule that holds, or -1. */
export function decide(rules: readonly CompiledRule[], facts: Facts): number {
  for (let at = 0; at < rules.length; at++) if (holds(rules[at]!, facts)) return at;
  return -1;
}

/** The rules until the one that decides. */
export function explainRules(rules: readonly CompiledRule[], facts: Facts): RuleStep[] {
  const last = decide(rules, facts);
  return rules.slice(0, last < 0 ? undefined : last + 1).map((rule, at) => ({
    rule: at,
    holds: at === last,
    because: rule.conditions.map((condition) => ({
      condition: condition.name,
      holds: condition.holds(facts),
      found: condition.found(facts),
    })),
  }));
}

/** Whether a rule asks for the country of the visitor. */
export const asksCountry = (rules: readonly CompiledRule[]): boolean =>
  rules.some(({ conditions }) => conditions.some(({ name }) => name === "country"));
