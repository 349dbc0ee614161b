/** One nullable column holds the options, so that other links cost nothing. */
import { emptyValues, type Values } from "./field-kinds.ts";
import { OPTIONS } from "./fields.ts";

export type LinkOptions = Values<typeof OPTIONS>;
export type RedirectStatus = LinkOptions["redirectStatus"];

export const NO_OPTIONS: LinkOptions = emptyValues(OPTIONS);

/** For the column; null without options. */
export function writeOptions(options: LinkOptions): string | null {
  const set = Object.entries(options).filter(
    ([name, value]) => value !== NO_OPTIONS[name as keyof LinkOptions],
  );
  return set.length === 0 ? null : JSON.stringify(Object.fromEntries(set));
}

/** From the column. */
export const readOptions = (text: string | null): LinkOptions =>
  text === null ? NO_OPTIONS : { ...NO_OPTIONS, ...(JSON.parse(text) as Partial<LinkOptions>) };
