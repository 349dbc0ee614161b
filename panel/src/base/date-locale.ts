import { i18n } from "@lingui/core";

/** Others, such as `en-US@posix`, Intl refuses. */
const LOCALE = /^[a-z]{2}(-[a-z]{4})?(-[a-z]{2}|-\d{3})?$/i;

/**
 * For dates: the panel's language with the customs of the region of the browser's first locale, such as `en-DE` for
 * English in Germany.
 */
export function dateLocale(): string {
  const locales = navigator.languages.filter((tag) => LOCALE.test(tag)).map((tag) => new Intl.Locale(tag));
  const [first] = locales;
  const exact = locales.find(({ language, region }) => language === first!.language && region !== undefined);
  const region = (exact ?? first)?.maximize().region;
  return region === undefined ? i18n.locale : `${i18n.locale}-${region}`;
}

/** A format of a time. Where the day has 24 hours, an hour has two digits, as with `timeStyle`. */
export function timeFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const format = new Intl.DateTimeFormat(dateLocale(), options);
  return format.resolvedOptions().hourCycle === "h23"
    ? new Intl.DateTimeFormat(dateLocale(), { ...options, hour: "2-digit" })
    : format;
}
