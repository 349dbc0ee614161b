/** Options of commands for the fields of a link. */
import { readFileSync } from "node:fs";
import type { OptionRow } from "../../platform/cli/define.ts";
import { messageOf, appError } from "../../lib/errors.ts";
import { FIELDS } from "./field-values.ts";
import type { LinkView } from "./link.ts";

/** @param clears for a change: an empty text clears a field, and a flag can be reset */
export const fieldOptions = ({ clears = false } = {}): OptionRow[] => [
  ["--owner <owner>", "account, or team:<name>"],
  ...FIELDS.flatMap(({ option, off }): OptionRow[] => {
    if (option === undefined) return [];
    const [flags, about, details] = option;
    if (!clears) return [option];
    if (off === undefined) return [[flags, `${about}; empty to clear`, details ?? {}]];
    return [option, [flags.replace("--", "--no-"), off]];
  }),
];

/** The fields of a request. @throws BadRequest */
export const fieldInput = (options: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...(options["owner"] !== undefined && { owner: options["owner"] }),
  ...Object.fromEntries(
    FIELDS.flatMap(({ name, option, isLong, fromText }) => {
      const [long] = option?.[0].slice(2).split(" ") ?? [];
      if (!long) return [];
      const given = options[long.replaceAll("-", "_")];
      return [[name, typeof given === "string" ? fromText(isLong ? textIn(given) : given) : given]];
    }),
  ),
});

/** JSON as it is, else the text of the file. @throws BadRequest */
function textIn(given: string): string {
  if (/^\s*(?:$|[[{])/.test(given)) return given;
  try {
    return readFileSync(given === "-" ? 0 : given, "utf8");
  } catch (error) {
    throw appError("BadRequest", `${given} can't be read: ${messageOf(error)}`);
  }
}

/** The fields that `links get` shows. */
export const shownFields = (view: LinkView): [heading: string, value: unknown][] =>
  FIELDS.flatMap(({ name, empty, show, heading, word }) => {
    const value = view[name];
    if (heading === undefined || value === show(empty)) return [];
    return [[heading, word ?? (typeof value === "object" ? JSON.stringify(value) : value)]];
  });
