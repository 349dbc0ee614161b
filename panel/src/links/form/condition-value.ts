import type { LinkRule } from "../../base/api.ts";

export type Conditions = LinkRule["if"];
export type ConditionName = keyof Conditions;

/** A value as people write it in one line. */
export function conditionText(name: ConditionName, value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  if (name === "query") {
    return Object.entries(value as Record<string, string | true>)
      .map(([key, requested]) =>
        requested === true
          ? encodeURIComponent(key)
          : `${encodeURIComponent(key)}=${encodeURIComponent(requested)}`,
      )
      .join("&");
  }
  if (name === "hours") {
    const { days, from, to, zone } = value as NonNullable<Conditions["hours"]>;
    const times = from === undefined && to === undefined ? undefined : `${from ?? ""}-${to ?? ""}`;
    return [days?.join(", "), times, zone].filter((part) => part !== undefined).join(" ");
  }
  return String(value);
}
