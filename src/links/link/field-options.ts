/** Options of commands for the fields of a link. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { messageOf, appError } from "../../lib/errors.ts";
import { fieldKey } from "./field-kinds.ts";
import { FIELDS } from "./field-values.ts";
import type { LinkView } from "./link.ts";

/** As commander names them. */
export type FieldOptions = Readonly<Record<string, unknown>>;

/** @param clears for a change: an empty text clears a field, and a flag can be reset */
export function addFieldOptions(command: Command, { clears = false } = {}): Command {
  command.option("--owner <owner>", "account, or team:<name>");
  for (const { option, off } of FIELDS) {
    if (option === undefined) continue;
    const [flags, description] = option;
    command.option(flags, clears && off === undefined ? `${description}; empty to clear` : description);
    if (clears && off !== undefined) command.option(flags.replace("--", "--no-"), off);
  }
  return command;
}

/** As in a request. */
export const fieldInput = (options: FieldOptions): Record<string, unknown> => ({
  ...(options["owner"] !== undefined && { owner: options["owner"] }),
  ...Object.fromEntries(
    FIELDS.flatMap(({ name, option, isLong, fromText }) => {
      const [long] = option?.[0].slice(2).split(" ") ?? [];
      const given = long && options[fieldKey(long.replaceAll("-", "_"))];
      if (!long) return [];
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
