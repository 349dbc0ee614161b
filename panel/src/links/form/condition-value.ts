import type { LinkRule } from "../../base/api.ts";

export type Conditions = LinkRule["if"];
export type ConditionName = keyof Conditions;

/** Conditions with one or several values, any of which may hold. */
export const LISTS = [
  "os",
  "device",
  "browser",
  "country",
  "language",
  "referrer",
  "address",
] as const satisfies readonly ConditionName[];
export type ListName = (typeof LISTS)[number];

/** In the order in which they are offered. */
export const CONDITIONS: readonly ConditionName[] = [
  "os",
  "country",
  "language",
  "device",
  "hours",
  "percent",
  "browser",
  "referrer",
  "query",
  "before",
  "after",
  "address",
];

export const isList = (name: ConditionName): name is ListName => LISTS.some((known) => known === name);

export const conditionValues = (value: unknown): string[] =>
  value === undefined || value === null || value === "" ? [] : [value].flat().map(String);

/** Parameters of a query in one line, such as `ref=mail&lang`. */
export const queryLine = (value: NonNullable<Conditions["query"]>): string =>
  Object.entries(value)
    .map(([key, requested]) =>
      requested === true
        ? encodeURIComponent(key)
        : `${encodeURIComponent(key)}=${encodeURIComponent(requested)}`,
    )
    .join("&");

export function queryIn(line: string): NonNullable<Conditions["query"]> {
  const pairs = line
    .trim()
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.flatMap((pair) =>
      [...new URLSearchParams(pair)].map(([key, value]) => [key, pair.includes("=") ? value : true]),
    ),
  );
}
