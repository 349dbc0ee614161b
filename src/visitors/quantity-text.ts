/** Sizes and instants as people of a language write them. */
import { remembered } from "../lib/remembered.ts";
import { type Language, LANGUAGES } from "../lib/language.ts";
import { inline } from "./style.ts";

const UNITS: Record<Language, readonly [string, ...string[]]> = {
  en: ["bytes", "kB", "MB", "GB", "TB", "PB"],
  de: ["Bytes", "kB", "MB", "GB", "TB", "PB"],
  zh: ["字节", "kB", "MB", "GB", "TB", "PB"],
  ja: ["バイト", "KB", "MB", "GB", "TB", "PB"],
  fr: ["octets", "ko", "Mo", "Go", "To", "Po"],
};
const ONE: Record<Language, string> = { en: "byte", de: "Byte", zh: "字节", ja: "バイト", fr: "octet" };

/** Formatters cost more to make than a page. */
const made = <T extends object>(make: (language: string) => T) =>
  remembered(make, { most: LANGUAGES.length });

const numbers = [0, 1].map((digits) =>
  made((language) => new Intl.NumberFormat(language, { maximumFractionDigits: digits })),
) as [whole: (language: string) => Intl.NumberFormat, short: (language: string) => Intl.NumberFormat];
const instants = made(
  (language) =>
    new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
);
const days = made((language) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }));

/** Such as `1.5 MB`, decimal as in the panel. The space does not break. */
export function quantityOfBytes(language: Language, bytes: number): string {
  const units = UNITS[language];
  let size = bytes;
  let unit = 0;
  // What would round to 1,000 becomes one of the next unit.
  for (; size >= (unit === 0 ? 1000 : 999.5) && unit < units.length - 1; unit++) size /= 1000;
  const number = numbers[unit === 0 || size >= 99.95 ? 0 : 1](language).format(size);
  return `${number}\u00a0${bytes === 1 ? ONE[language] : units[unit]}`;
}

/** For scripts that write quantities. */
export const unitsOfBytes = (language: Language) => ({ units: UNITS[language], unit: ONE[language] });

/** Writes an instant in UTC and names the zone: the visitor's one is unknown. */
export const instantText = (language: Language, at: number): string => `${instants(language).format(at)} UTC`;

/** Writes a day in UTC. */
export const dayText = (language: Language, at: number): string => days(language).format(at);

export const countText = (language: Language, count: number): string => numbers[0](language).format(count);

const timeHtml = (kind: "day" | "instant", at: number, shown: string): string =>
  `<time class="${kind}" datetime="${new Date(at).toISOString()}">${shown}</time>`;

/** Shows a day in UTC, until the page's script writes it in the reader's zone. */
export const dayHtml = (language: Language, at: number): string => timeHtml("day", at, dayText(language, at));
export const instantHtml = (language: Language, at: number): string =>
  timeHtml("instant", at, instantText(language, at));

/** In the page's language, with the customs of the region of the browser's first locale. */
const SCRIPT = `
let locale=document.documentElement.lang;try{locale+="-"+new Intl.Locale(navigator.language).maximize().region;new Intl.Locale(locale)}catch{locale=document.documentElement.lang}
for(const[kind,style]of[["instant",{timeStyle:"short"}],["day",{}]]){const form=new Intl.DateTimeFormat(locale,{dateStyle:"medium",...style});for(const time of document.querySelectorAll("time."+kind))time.textContent=form.format(new Date(time.dateTime))}
`.trim();

export const LOCAL_TIMES = inline(SCRIPT);
