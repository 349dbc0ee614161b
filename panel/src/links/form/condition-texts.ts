import { useLingui } from "@lingui/react/macro";
import type { LinkRule } from "../../base/api.ts";
import { countryName, formatList, formatShare, formatTime } from "../../base/i18n.ts";
import { deviceName, languageName } from "../../clicks/names.ts";
import { useNamed } from "../../ui/forms/named.ts";
import {
  type ConditionName,
  CONDITIONS,
  type Conditions,
  isList,
  queryLine,
  conditionValues,
} from "./condition-value.ts";

export function useConditionTexts(): Record<ConditionName, string> {
  const { t } = useLingui();
  return {
    device: t`Device`,
    os: t`System`,
    browser: t`Browser`,
    language: t`Language`,
    country: t`Country`,
    referrer: t`Coming from`,
    query: t`Query`,
    before: t`Before`,
    after: t({ message: "From", context: "date" }),
    hours: t`Hours`,
    address: t`Address of the visitor`,
    percent: t`Part of the visitors`,
  };
}

const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

/** The days of a week with their short names. */
export function dayNames(locale: string): [Day, string][] {
  const format = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  return DAYS.map((day, at) => [day, format.format(MONDAY + at * DAY_MS)]);
}

/** What people call one of a condition's values. */
export function useValueName(): (name: ConditionName, value: string) => string {
  const { t } = useLingui();
  const systems: Record<string, string> = {
    iOS: t`iPhone and iPad`,
    macOS: "Mac",
    "Chrome OS": "Chromebook",
  };
  return (name, value) => {
    if (name === "os") return systems[value] ?? value;
    if (name === "device") return deviceName(value);
    if (name === "language") return languageName(value);
    if (name === "country") return countryName(value);
    return name === "browser" ? value.replace(/^Microsoft | for Android$/, "") : value;
  };
}

/** Whom a condition means, as a part of a sentence; empty while nothing is chosen. */
export function useConditionPhrase(): (name: ConditionName, value: unknown) => string {
  const { t, i18n } = useLingui();
  const nameOf = useValueName();

  function hoursPhrase({ days, from, to, zone }: NonNullable<Conditions["hours"]>): string {
    const shown = dayNames(i18n.locale).flatMap(([day, name]) => (days?.includes(day) ? [name] : []));
    const times = from === undefined && to === undefined ? "" : `${from ?? "00:00"}–${to ?? "24:00"}`;
    const when = [formatList(shown) || t`every day`, times].filter((part) => part !== "").join(" ");
    return `${when} (${zone.replaceAll("_", " ")})`;
  }

  return (name, value) => {
    if (isList(name)) {
      const names = conditionValues(value).map((one) => nameOf(name, one));
      const text = new Intl.ListFormat(i18n.locale, { type: "disjunction" }).format(names);
      return text !== "" && (name === "referrer" || name === "address") ? t`from ${text}` : text;
    }
    if (name === "hours") return hoursPhrase(value as NonNullable<Conditions["hours"]>);
    if (name === "query") {
      const line = queryLine(value as NonNullable<Conditions["query"]>);
      return line === "" ? "" : `?${line}`;
    }
    if (value === "") return "";
    if (name === "percent") {
      const part = formatShare(Number(value));
      return t`${part} of the visitors`;
    }
    const time = formatTime(String(value));
    return name === "before" ? t`before ${time}` : t`from ${time}`;
  };
}

/** An address as people read it. */
export const shortAddress = (target: string): string => target.replace(/^https?:\/\/(?:www\.)?|\/$/g, "");

/** A rule as a sentence. */
export function useRuleText(): (rule: LinkRule) => string {
  const phraseOf = useConditionPhrase();
  const named = useNamed();
  return (rule) => {
    const whom = CONDITIONS.filter((name) => rule.if[name] !== undefined).map((name) =>
      phraseOf(name, rule.if[name]),
    );
    return named(whom.join(" · "), shortAddress(rule.target));
  };
}
