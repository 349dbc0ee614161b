/** What the clicks of a report are listed by. */
import { DEFAULT_DOMAIN, type Condition, type FilterName } from "./filter.ts";
import {
  agentName,
  channelName,
  deviceName,
  domainName,
  languageName,
  placeName,
  referrerName,
  regionName,
} from "./names.ts";

/** Of the links that were clicked. */
export const LINK_DIMENSIONS = ["link", "tag", "utm_campaign", "domain", "owner"] as const;
export const DIMENSIONS = [
  "site",
  "referrer",
  "channel",
  "utm_campaign",
  "utm_source",
  "country",
  "city",
  "language",
  "device",
  "browser",
  "os",
] as const;
export type Dimension = (typeof DIMENSIONS)[number] | (typeof LINK_DIMENSIONS)[number];

/** A row of an answer: a city comes with its country, a link with its title and domain. */
export type Value = {
  value: string;
  title?: string | null | undefined;
  country?: string | undefined;
  domain?: string | null | undefined;
};

const NAMES: Partial<Record<FilterName, (value: string) => string>> = {
  site: referrerName,
  referrer: referrerName,
  channel: channelName,
  country: regionName,
  language: languageName,
  device: deviceName,
  browser: agentName,
  os: agentName,
  domain: domainName,
};

/** Of a condition, for people. */
export const nameOfCondition = ({ name, value }: Condition): string => NAMES[name]?.(value) ?? value;

/** Of a listed value, for people. */
export const nameOfValue = (dimension: Dimension, { value, country }: Value): string =>
  dimension === "city"
    ? placeName(country ?? null, value)
    : nameOfCondition({ name: dimension === "link" ? "code" : dimension, value });

/** What shows only the clicks of a listed value. Empty: it can't be asked for. */
export function conditionsFor(dimension: Dimension, { value, country, domain }: Value): Condition[] {
  if (dimension === "city")
    return country === undefined
      ? []
      : [
          { name: "country", value: country },
          { name: "city", value },
        ];
  if (dimension === "link")
    return [
      { name: "code", value },
      { name: "domain", value: domain ?? DEFAULT_DOMAIN },
    ];
  return [{ name: dimension, value }];
}
