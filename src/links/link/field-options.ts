/** Options of commands for the fields of a link. */
import type { Command } from "commander";
import { fieldKey } from "./field-kinds.ts";
import { FIELDS } from "./field-values.ts";
import type { LinkView } from "./link.ts";

/** As commander names them. */
export type FieldOptions = Readonly<Record<string, unknown>>;

/** @param clears for a change: an empty text clears a field, and a flag can be taken back */
export function addFieldOptions(command: Command, { clears = false } = {}): Command {
  for (const { option, off } of FIELDS) {
    if (option === undefined) continue;
    const [flags, description] = option;
    command.option(flags, clears && off === undefined ? `${description}; empty to clear` : description);
    if (clears && off !== undefined) command.option(flags.replace("--", "--no-"), off);
  }
  return command;
}

/** As in a request. */
export const fieldInput = (options: FieldOptions): Record<string, unknown> =>
  Object.fromEntries(
    FIELDS.flatMap(({ name, option, fromText }) => {
      const [long] = option?.[0].slice(2).split(" ") ?? [];
      const given = long && options[fieldKey(long.replaceAll("-", "_"))];
      return long ? [[name, typeof given === "string" ? fromText(given) : given]] : [];
    }),
  );

/** The fields that `links get` shows. */
export const shownFields = (view: LinkView): [heading: string, value: unknown][] =>
  FIELDS.flatMap(({ name, empty, show, heading, word }) =>
    heading === undefined || view[name] === show(empty) ? [] : [[heading, word ?? view[name]]],
  );
