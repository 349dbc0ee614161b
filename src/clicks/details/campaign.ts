/** Campaign and language of a click, from what untrusted visitors send. */
import { cleanText, decodeQueryValue } from "./referrer.ts";

export const UTM_KEYS = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
export type Campaign = Record<(typeof UTM_KEYS)[number], string | null>;

/** As UTF-8. */
const VALUE_BYTES = 255;
/** The longest tag that RFC 5646 (4.4.1) asks for. */
const LONGEST_LANGUAGE = 35;

/** Of pairs as sent; the first value of a key that is not empty counts. */
export function campaignOf(pairs: string): Campaign {
  const campaign: Campaign = {
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
  };
  for (const pair of pairs.split("&")) {
    const at = pair.indexOf("=");
    const key = UTM_KEYS.find((one) => one.length === at && pair.startsWith(one));
    if (key !== undefined)
      campaign[key] ??= cleanText(decodeQueryValue(pair.slice(at + 1)), VALUE_BYTES) || null;
  }
  return campaign;
}

/** The first language of Accept-Language in its canonical form, such as `de-AT`; null without a known one. */
export function languageOf(acceptLanguage: string): string | null {
  const tag = /^[\w-]+/.exec(acceptLanguage.trimStart())?.[0] ?? "";
  try {
    const { baseName } = new Intl.Locale(tag);
    return baseName.length <= LONGEST_LANGUAGE ? baseName : null;
  } catch {
    return null;
  }
}
