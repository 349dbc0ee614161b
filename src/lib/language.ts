/** The languages of pages and mails, and the choice by Accept-Language (RFC 9110, section 12.5.4). */
import { remembered } from "./remembered.ts";

export const LANGUAGES = ["en", "de", "zh", "ja", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];

/** English for a language that is not one of ours. */
export const knownLanguage = (name: string | null): Language => LANGUAGES.find((one) => one === name) ?? "en";

const LONGEST_HEADER = 512;
const MOST_RANGES = 32;
const REMEMBERED = 1_000;
const RANGE =
  /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

export type LanguageChoice = (acceptLanguage: string | null) => Language;

/** Remembers headers. */
export function createLanguageChoice(): LanguageChoice {
  const choose = remembered(chooseLanguage, { most: REMEMBERED, longest: LONGEST_HEADER });
  return (header) => (header === null ? "en" : choose(header));
}

/**
 * The language with the highest quality, of equal ones the first named. `de-AT` asks for `de`; `*` stands for what the
 * header does not name. English if nothing fits. Skips malformed ranges.
 */
export function chooseLanguage(header: string): Language {
  const qualities = new Map<string, number>();
  for (const range of header.slice(0, LONGEST_HEADER).split(",", MOST_RANGES)) {
    const [, tag = "", quality = "1"] = RANGE.exec(range) ?? [];
    const [language = ""] = tag.toLowerCase().split("-");
    if (language !== "") qualities.set(language, Math.max(qualities.get(language) ?? 0, Number(quality)));
  }
  let best: Language = "en";
  let highest = 0;
  for (const [name, quality] of qualities) {
    const language = LANGUAGES.find((one) => (name === "*" ? !qualities.has(one) : one === name));
    if (language === undefined || quality <= highest) continue;
    best = language;
    highest = quality;
  }
  return best;
}
