/** What conditions offer, with names and icons. */
import { i18n } from "@lingui/core";
import {
  IconBrandAndroid,
  IconBrandApple,
  IconBrandChrome,
  IconBrandUbuntu,
  IconBrandWindows,
  IconBrowser,
  IconCalendar,
  IconClock,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDevices,
  IconDeviceTablet,
  IconExternalLink,
  IconLanguage,
  IconNetwork,
  IconPercentage,
  IconQuestionMark,
  IconWorld,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { flagOf } from "../../clicks/names.ts";
import { type ConditionName, type ListName, conditionValues } from "../form/condition-value.ts";

/** As analytics calls them (src/lib/agents.ts). */
const SYSTEMS = ["iOS", "Android", "Windows", "macOS", "Linux", "Chrome OS"];
const BROWSERS = [
  "Chrome",
  "Safari",
  "Firefox",
  "Microsoft Edge",
  "Samsung Internet for Android",
  "Opera",
  "Instagram",
  "Facebook",
  "LinkedIn",
  "TikTok",
  "WeChat",
  "LINE",
];
const DEVICES = ["mobile", "tablet", "desktop"];
/** Besides whole languages, as the server keeps them. */
const REGIONAL = ["de-at", "de-ch", "en-gb", "en-us", "es-mx", "fr-ca", "pt-br", "pt-pt", "zh-cn", "zh-tw"];
/** What `Intl` names though ISO 3166 does not list it. */
const NO_COUNTRIES = new Set([
  "AC",
  "CP",
  "CQ",
  "DG",
  "EA",
  "EU",
  "EZ",
  "IC",
  "QO",
  "TA",
  "UN",
  "XA",
  "XB",
  "ZZ",
]);

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

/** Those that are known and not an older name of another. */
function knownPairs(type: "region" | "language"): string[] {
  const names = new Intl.DisplayNames("en", { type, fallback: "none" });
  return PAIRS.map((pair) => (type === "region" ? pair.toUpperCase() : pair)).filter((code) => {
    const locale = new Intl.Locale(type === "region" ? `und-${code}` : code);
    return names.of(code) !== undefined && locale[type] === code;
  });
}

const OFFERED: Partial<Record<ListName, () => string[]>> = {
  os: () => SYSTEMS,
  browser: () => BROWSERS,
  device: () => DEVICES,
  country: () => knownPairs("region").filter((code) => !NO_COUNTRIES.has(code)),
  language: () => [...knownPairs("language"), ...REGIONAL],
};

const isSorted = (name: ListName): boolean => name === "country" || name === "language";

/** Null: any text. @param chosen kept though nobody offers it */
export function choicesOf(
  name: ListName,
  nameOf: (name: ListName, value: string) => string,
  chosen: readonly string[] = [],
): { value: string; label: string }[] | null {
  const offered = OFFERED[name]?.();
  if (offered === undefined) return null;
  const choices = [...new Set([...offered, ...chosen])].map((value) => ({
    value,
    label: nameOf(name, value),
  }));
  const { compare } = new Intl.Collator(i18n.locale);
  return isSorted(name) ? choices.toSorted((a, b) => compare(a.label, b.label)) : choices;
}

const ICONS = {
  iOS: IconBrandApple,
  macOS: IconBrandApple,
  Android: IconBrandAndroid,
  Windows: IconBrandWindows,
  Linux: IconBrandUbuntu,
  "Chrome OS": IconBrandChrome,
  mobile: IconDeviceMobile,
  tablet: IconDeviceTablet,
  desktop: IconDeviceDesktop,
};

export const CONDITION_ICONS: Record<ConditionName, typeof IconClock> = {
  os: IconDevices,
  device: IconDeviceMobile,
  browser: IconBrowser,
  language: IconLanguage,
  country: IconWorld,
  referrer: IconExternalLink,
  query: IconQuestionMark,
  before: IconCalendar,
  after: IconCalendar,
  hours: IconClock,
  address: IconNetwork,
  percent: IconPercentage,
};

/** The icon of a condition, or of its value if it has one. */
export function ConditionIcon({ name, value }: { name: ConditionName; value?: unknown }): ReactNode {
  const [one = "", ...others] = conditionValues(value);
  const flag = name === "country" && others.length === 0 ? flagOf(one) : null;
  if (flag !== null) return <span aria-hidden>{flag}</span>;
  const known = others.length === 0 ? (ICONS as Partial<Record<string, typeof IconClock>>)[one] : undefined;
  const Icon = known ?? CONDITION_ICONS[name];
  return <Icon size={16} aria-hidden style={{ flex: "none" }} />;
}
