/** Languages of visitors by RFC 9110 (12.5.4) and ranges by RFC 4647 (3.3.1). */

import { remembered } from "../../lib/remembered.ts";

/** The rest of the header is not read. */
const LONGEST_HEADER = 1_024;
const MOST_LANGUAGES = 32;
const LANGUAGE = /^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)$/;
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The language with the greatest weight, in lower case, the first of several; null without one. */
export const preferredLanguage = (header: string | null): string | null =>
  header === null ? null : preferredIn(header.slice(0, LONGEST_HEADER));

const preferredIn = remembered(preferred, { most: 10_000, longest: 256 });

function preferred(header: string): string | null {
  let best: string | null = null;
  let most = 0;
  const parts = header.toLowerCase().split(",", MOST_LANGUAGES);
  for (const part of parts) {
    const [language = "", ...parameters] = part.split(";").map((one) => one.trim());
    const weights = parameters.filter((one) => one.startsWith("q="));
    const weight = weights.length === 0 ? 1 : Number(WEIGHT.exec(weights[0]!)?.[1] ?? 0);
    if (weight > most && LANGUAGE.test(language)) [best, most] = [language, weight];
  }
  return best;
}

/** @param range in lower case, like the language */
export const isInLanguageRange = (range: string, language: string): boolean =>
  range === "*" ||
  (language.startsWith(range) && (language.length === range.length || language[range.length] === "-"));
