import { i18n } from "@lingui/core";

/** Others, such as `en-US@posix`, Intl refuses. */
const LOCALE = /^[a-z]{2}(-[a-z]{4})?(-[a-z]{2}|-\d{3})?$/i;

/** For dates: the browser's first locale of the panel's language, whose region has customs, such as `en-GB`. */
export const dateLocale = (): string =>
  navigator.languages.find((tag) => LOCALE.test(tag) && tag.slice(0, 2).toLowerCase() === i18n.locale) ??
  i18n.locale;
