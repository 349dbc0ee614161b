/** Names in sentences, as within <bdi>: whatever they hold, the text around them keeps its order and its elements. */
import type { I18n } from "@lingui/core";

/** Letters of scripts from right to left, and what changes directions. */
const TURNING =
  /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export const isolated = (name: string): string => (TURNING.test(name) ? `\u2068${name}\u2069` : name);

/** What <Trans> puts in for a value that is an element. */
const ELEMENT = /^<\d+\/>$/;
const TAG = /<(?=[\w/])/g;

/** <Trans> would take a tag in a name for one of its own and leave it out; an invisible character makes it text. */
const withoutTags = (name: string): string => (ELEMENT.test(name) ? name : name.replace(TAG, "<\u2060"));

type Values = Record<string, unknown>;

const eachText = (values: Values, change: (text: string) => string): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? change(value) : value]),
  );

/** In every sentence that is spoken from now on. */
export function isolateNames(i18n: I18n): void {
  const speak = i18n._.bind(i18n) as (id: string, values?: Values, options?: object) => string;
  const speakOf = i18n._.bind(i18n) as (message: { id: string; values?: Values }) => string;
  const isolating = (id: string | { id: string; values?: Values }, values?: Values, options?: object) =>
    typeof id === "string"
      ? // Only <Trans> calls it so.
        speak(id, values && eachText(values, (text) => isolated(withoutTags(text))), options)
      : speakOf(id.values ? { ...id, values: eachText(id.values, isolated) } : id);
  i18n._ = i18n.t = isolating as I18n["_"];
}
