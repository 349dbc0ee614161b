/** Rules while they are edited. */
import type { ApiError, LinkRule } from "../../base/api.ts";
import { TIME_ZONE } from "../../base/place.ts";
import {
  type ConditionName,
  CONDITIONS,
  type Conditions,
  isList,
  conditionValues,
} from "../form/condition-value.ts";
import { withScheme } from "../form/with-scheme.ts";

/** `id` tells it from others while they move. Conditions with several values have a list. */
export type DraftRule = { id: number; target: string; if: Conditions };

export const MOST_RULES = 32;

let made = 0;

const emptyValue = (name: ConditionName): unknown =>
  isList(name) ? [] : name === "hours" ? { zone: TIME_ZONE } : name === "query" ? {} : "";

export const withEmpty = (conditions: Conditions, name: ConditionName): Conditions => ({
  ...conditions,
  [name]: emptyValue(name),
});

export const newRule = (name: ConditionName): DraftRule => ({
  id: ++made,
  target: "",
  if: withEmpty({}, name),
});

/** In the order in which conditions are offered. */
export const namesIn = (conditions: Conditions): ConditionName[] =>
  CONDITIONS.filter((name) => conditions[name] !== undefined && conditions[name] !== null);

/** @param ids of the drafts from which the rules were saved: they keep their places on the page */
export const draftsOf = (rules: readonly LinkRule[], ids: readonly number[] = []): DraftRule[] =>
  rules.map((rule, at) => ({
    id: ids[at] ?? ++made,
    target: rule.target,
    if: Object.fromEntries(
      namesIn(rule.if).map((name) => [name, isList(name) ? conditionValues(rule.if[name]) : rule.if[name]]),
    ) as Conditions,
  }));

/** As the API takes them. */
export const rulesOf = (drafts: readonly DraftRule[]): LinkRule[] =>
  drafts.map((rule) => ({
    if: Object.fromEntries(
      namesIn(rule.if).map((name) => {
        const value = rule.if[name];
        return [name, Array.isArray(value) && value.length === 1 ? value[0] : value];
      }),
    ) as Conditions,
    target: rule.target.startsWith("share:") ? rule.target.trim() : withScheme(rule.target),
  }));

/** What a kept text holds; anybody may have written it. */
export function readRules(text: string): LinkRule[] {
  try {
    const kept: unknown = JSON.parse(text);
    if (!Array.isArray(kept)) return [];
    return kept.filter(
      (one: Partial<LinkRule> | null): one is LinkRule =>
        typeof one?.target === "string" && typeof one.if === "object" && namesIn(one.if).length > 0,
    );
  } catch {
    return [];
  }
}

const isEmptyValue = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);

/** Nothing is chosen or typed in it. */
export const isUntouched = (rule: DraftRule): boolean => missingIn(rule).length > namesIn(rule.if).length;

/** The conditions without a value, and the target if it is missing. */
export const missingIn = (rule: DraftRule): (ConditionName | "target")[] => [
  ...namesIn(rule.if).filter((name) => isEmptyValue(rule.if[name])),
  ...(rule.target.trim() === "" ? (["target"] as const) : []),
];

/** Messages by rule and field, such as `1.country` and `0.target`. */
export type RuleErrors = Partial<Record<string, string>>;

const FIELD = /^rules\.(\d+)\.(?:if\.)?(\w+)/;

/** The server's messages by field; null if it names none. */
export function ruleErrorsIn({ details }: ApiError): RuleErrors | null {
  const found = details.flatMap(({ field, message }) => {
    const [, rule, name] = FIELD.exec(field) ?? [];
    const said = message.replace(/^rules[\w.]*:? /, "");
    return rule === undefined ? [] : [[`${rule}.${name}`, said.charAt(0).toUpperCase() + said.slice(1)]];
  });
  return found.length === 0 ? null : (Object.fromEntries(found) as RuleErrors);
}
