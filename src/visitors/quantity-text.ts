/** Sizes and instants as people of a language write them. */
import type { Language } from "./language.ts";

const UNITS: Record<Language, readonly [string, ...string[]]> = {
  en: ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"],
  de: ["Bytes", "KiB", "MiB", "GiB", "TiB", "PiB"],
  zh: ["字节", "KiB", "MiB", "GiB", "TiB", "PiB"],
  ja: ["バイト", "KiB", "MiB", "GiB", "TiB", "PiB"],
  fr: ["octets", "Kio", "Mio", "Gio", "Tio", "Pio"],
};
const ONE: Record<Language, string> = { en: "byte", de: "Byte", zh: "字节", ja: "バイト", fr: "octet" };

/** Such as `1.5 MiB`. The space does not break. */
export function quantityOfBytes(language: Language, bytes: number): string {
  const units = UNITS[language];
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(size);
  return `${number}\u00a0${bytes === 1 ? ONE[language] : units[unit]}`;
}

/** In UTC, which it says: the zone of the visitor is not known. */
export const instantText = (language: Language, at: number): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(at)} UTC`;

export const countText = (language: Language, count: number): string =>
  new Intl.NumberFormat(language).format(count);
