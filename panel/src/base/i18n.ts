import { i18n, type Messages } from "@lingui/core";
import type { ReactNode } from "react";
import { dateLocale, timeFormat } from "./date-locale.ts";
import { isolated, isolateNames } from "./isolated-names.ts";
import { loaded } from "./lazy.ts";
import { TIME_ZONE } from "./place.ts";

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", ja: "日本語", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;

isolateNames(i18n);

const STORED = "waymark-language";

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text);

/** The chosen language, or the first supported one of the browser. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(STORED);
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

type Catalog = (language: string) => Promise<{ messages: Messages }>;

const catalogs = new Map<Catalog, Promise<void> | null>([
  [(language) => import(`../locales/${language}.po`), null],
]);

/** Of all catalogs, including those requested meanwhile. */
async function messagesIn(language: string): Promise<Messages> {
  const loads = [...catalogs.keys()];
  const parts = await loaded(() => Promise.all(loads.map((load) => load(language))));
  if (loads.length !== catalogs.size) return messagesIn(language);
  return Object.assign({}, ...parts.map(({ messages }) => messages)) as Messages;
}

export async function loadLanguage(language: Language): Promise<void> {
  i18n.loadAndActivate({ locale: language, messages: await messagesIn(language) });
  document.documentElement.lang = language;
}

/** Texts that few pages need: loads them now, and later with every language. */
export function loadTexts(catalog: Catalog): Promise<void> {
  const load = async (): Promise<void> => {
    const { locale } = i18n;
    const { messages } = await loaded(() => catalog(locale));
    if (i18n.locale === locale) i18n.load(locale, messages);
  };
  const loading = catalogs.get(catalog) ?? load();
  catalogs.set(catalog, loading);
  loading.catch(() => catalogs.delete(catalog));
  return loading;
}

export async function chooseLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // Full: it is spoken until the page is left.
  }
  await loadLanguage(language);
}

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>();

function formatOf<F extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  name: string,
  make: (language: string) => F,
): F {
  const key = `${i18n.locale} ${name}`;
  const known = formats.get(key) ?? make(i18n.locale);
  formats.set(key, known);
  return known as F;
}

/** Browsers take a while to make the first format. No language groups so few digits. */
export const formatNumber = (value: number): string =>
  Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : numberFormat(value);

const numberFormat = (value: number): string =>
  formatOf("number", (language) => new Intl.NumberFormat(language)).format(value);

const listFormat = () => new Intl.ListFormat(i18n.locale, { type: "conjunction", style: "narrow" });

export const formatList = (texts: readonly string[]): string => listFormat().format(texts.map(isolated));

/** Between the items of a list without an "and". */
export const listComma = (): string => listFormat().formatToParts(["1", "2", "3"])[1]!.value;

/** What stands between the nodes of a list follows the language. */
export function joinNodes(nodes: readonly ReactNode[]): ReactNode[] {
  const parts = listFormat().formatToParts(nodes.map((_, at) => String(at)));
  return parts.map(({ type, value }) => (type === "element" ? nodes[Number(value)] : value));
}

/** In every list of files: `file 2` stands before `file 10`, whatever their case. */
export function byName(): (a: { name: string }, b: { name: string }) => number {
  const { compare } = new Intl.Collator(i18n.locale, { numeric: true, sensitivity: "base" });
  return (a, b) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}

/** Between sentences. The full stop of some languages is as wide as two letters. */
export const sentenceGap = (): string => (/^(ja|zh)$/.test(i18n.locale) ? "" : " ");

/** Between a place and what it is in. */
export const comma = (): string => ({ ja: "、", zh: "，" })[i18n.locale] ?? ", ";

/** For axes, such as 12K. */
export const formatCompact = (value: number): string =>
  formatOf(
    "compact",
    (language) =>
      new Intl.NumberFormat(language, {
        notation: "compact",
        useGrouping: "always",
        maximumFractionDigits: 1,
      }),
  ).format(value);

/** A percentage, such as 12.3 for 12.3 %. @param decimals as many at least, so that a column lines up */
export const formatShare = (percentage: number, decimals: 0 | 1 = 0): string =>
  formatOf(
    `share ${decimals}`,
    (language) =>
      new Intl.NumberFormat(language, {
        style: "percent",
        minimumFractionDigits: decimals,
        maximumFractionDigits: 1,
      }),
  ).format(percentage / 100);

/** The decimals of a column of percentages: none if all are whole. */
export const decimalsOf = (percentages: readonly number[]): 0 | 1 =>
  percentages.every((one) => Math.round(one * 10) % 10 === 0) ? 0 : 1;

export const formatDate = (time: string): string =>
  formatOf("date", () => new Intl.DateTimeFormat(dateLocale(), { dateStyle: "medium" })).format(
    new Date(time),
  );

export const formatTime = (time: string): string =>
  formatOf(
    "time",
    () => new Intl.DateTimeFormat(dateLocale(), { dateStyle: "medium", timeStyle: "short" }),
  ).format(new Date(time));

/** To the second, in the zone of reports. The day only if it is not today, the year only if it is not this year. */
export function formatClock(time: string): string {
  const timeZone = TIME_ZONE;
  const day = formatOf(`day ${timeZone}`, () => new Intl.DateTimeFormat("en-CA", { timeZone }));
  const date = new Date(time);
  const [of, today] = [day.format(date), day.format(new Date())];
  const isToday = of === today;
  const isThisYear = of.slice(0, 4) === today.slice(0, 4);
  return formatOf(`clock ${timeZone} ${isToday} ${isThisYear}`, () =>
    timeFormat({
      timeZone,
      ...(!isThisYear && { year: "numeric" }),
      ...(!isToday && { month: "short", day: "numeric" }),
      hour: "numeric",
      minute: "2-digit",
      second: "2-digit",
    }),
  ).format(date);
}

/** By its two-letter code. */
export function countryName(code: string): string {
  try {
    return new Intl.DisplayNames([i18n.locale], { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return formatOf(
    `bytes ${step}`,
    (language) =>
      new Intl.NumberFormat(language, {
        style: "unit",
        unit: UNITS[step]!,
        unitDisplay: step === 0 ? "long" : "short",
        maximumFractionDigits: step === 0 ? 0 : 1,
      }),
  ).format(bytes / 1000 ** step);
}
