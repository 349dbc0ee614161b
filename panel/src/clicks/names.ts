/** Names of counted values. */
import { t } from "@lingui/core/macro";
import { countryName } from "../base/i18n.ts";

/** Values that the server puts together, because there are too many, or which it does not know. */
export const isRest = (value: string): boolean => ["(other)", "Other", "other"].includes(value);

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

/** Of a browser or a system. */
export const agentName = (name: string): string =>
  name === "Other" || name === "(other)" || name === "" ? t`Others` : name;

export const regionName = (country: string): string =>
  country === "(other)" ? t`Others` : countryName(country);

/** A city with its country, as `DE/Köln`. */
export function cityName(value: string): string {
  const at = value.indexOf("/");
  return at < 0 ? regionName(value) : placeName(value.slice(0, at), value.slice(at + 1));
}

/** City and country, as far as they are known. */
export const placeName = (country: string | null, city: string | null): string =>
  country === null ? "" : [city, regionName(country)].filter(Boolean).join(", ");
