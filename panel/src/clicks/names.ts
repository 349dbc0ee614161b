/** Names of counted values. */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { comma, countryName } from "../base/i18n.ts";
import { DEFAULT_DOMAIN, type FilterName } from "./filter.ts";

/** Values that the server puts together, because there are too many, or which it does not know. */
export const isRest = (value: string): boolean => ["(other)", "Other", "other"].includes(value);

export const othersName = (): string => t`Others`;

/** Of the clicks without a value of the dimension. */
export function nameOfNone(dimension: string): string {
  if (dimension === "site") return t`Direct`;
  return dimension.startsWith("utm_") ? t`No campaign` : t`Unknown`;
}

/** A referrer's domain, a campaign, or one of the server's own words. */
export function referrerName(referrer: string): string {
  if (referrer === "(direct)") return t`Direct`;
  return referrer === "(other)" ? t`Others` : referrer;
}

export function deviceName(device: string): string {
  const names: Record<string, string> = {
    desktop: t`Desktop`,
    mobile: t`Phone`,
    tablet: t`Tablet`,
    bot: t`Bot`,
    other: t`Others`,
  };
  return Object.hasOwn(names, device) ? names[device]! : device;
}

/** How visitors came, by what the server knows of it. */
export function channelName(channel: string): string {
  const names: Record<string, string> = {
    direct: t`Direct`,
    search: t`Search engines`,
    social: t`Social networks`,
    mail: t`E-mail`,
    messenger: t`Messengers`,
    campaign: t`Campaigns`,
    other: t`Other sites`,
  };
  return Object.hasOwn(names, channel) ? names[channel]! : channel;
}

export const domainName = (domain: string): string =>
  domain === DEFAULT_DOMAIN ? t`The default domain` : domain;

/** By its tag, such as `de-AT`. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames([i18n.locale], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Of a browser or a system. */
export const agentName = (name: string): string =>
  name === "Other" || name === "(other)" || name === "" ? t`Others` : name;

export const regionName = (country: string): string =>
  country === "(other)" ? t`Others` : countryName(country);

let drawsFlags: boolean | undefined;

/** Not on Windows, which draws the two letters of the code. */
export const hasFlags = (): boolean => (drawsFlags ??= canDrawFlags());

function canDrawFlags(): boolean {
  const pen = document.createElement("canvas").getContext("2d");
  return pen !== null && pen.measureText("🇩🇪").width < 1.5 * pen.measureText("🇩").width;
}

/** The flag of a country's two letters; null for other texts and where flags can't be drawn. */
export function flagOf(country: string): string | null {
  if (!/^[a-z]{2}$/i.test(country) || !hasFlags()) return null;
  const letters = [...country.toUpperCase()];
  return String.fromCodePoint(...letters.map((letter) => 0x1f1a5 + letter.charCodeAt(0)));
}

/** City and country, as far as they are known. */
export const placeName = (country: string | null, city: string | null): string =>
  country === null ? "" : [city, regionName(country)].filter(Boolean).join(comma());

/** Names of conditions. */
export const filterNames = (): Record<FilterName, string> => ({
  code: t`Link`,
  tag: t`Tag`,
  domain: t`Domain`,
  owner: t`Owner`,
  search: t`Text`,
  channel: t`Channel`,
  site: t`Site`,
  referrer: t`Referrer`,
  utm_campaign: t`Campaign`,
  utm_source: t`Campaign source`,
  utm_medium: t`Campaign medium`,
  utm_term: t`Campaign term`,
  utm_content: t`Campaign content`,
  country: t`Country`,
  city: t`City`,
  language: t`Language`,
  device: t`Device`,
  browser: t`Browser`,
  os: t`System`,
});
