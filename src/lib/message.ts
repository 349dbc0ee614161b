/** Messages of catalogs: `{name}` stands for a value. */
import type { Language } from "./language.ts";

export type Plural = { one: string; other: string };

/** Replaces each `{name}` by its value. Braces in a value stay. */
export const filled = (message: string, values: Readonly<Record<string, string | number>>): string =>
  message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

export const pluralOf = ({ one, other }: Plural, language: Language, count: number): string =>
  new Intl.PluralRules(language).select(count) === "one" ? one : other;
