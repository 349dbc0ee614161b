import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { type Result, rowsResult } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { given } from "../../lib/given.ts";
import { pluralize } from "../../lib/pluralize.ts";
import type { FoundOfPerson, Privacy } from "./privacy.service.ts";

const PERSON = [
  ["--address <address>", "an IP address or a mail address"],
  ["--sender <name>", "the name that a visitor gave in a drop box"],
  ["--account <name>", "name of an account, also of a deleted one"],
] as const;

export function addPrivacyCommands(program: Command, context: CommandContext<{ privacy: Privacy }>): void {
  const define = createDefine(program.command("privacy"), context);
  const { services, output } = context;

  define("find", "list where something is stored")
    .options(PERSON)
    .result(async (person) => {
      const { privacy } = await services();
      return foundResult(await privacy.find(given(person)), "Nothing is stored.");
    });

  define("export", "print what is stored, a line of JSON for each row")
    .options(PERSON)
    .action(async (options) => {
      const { privacy } = await services();
      const person = given(options);
      for await (const lines of privacy.export(person)) output.line(lines.trimEnd());
      const uncovered = await privacy.uncovered(person);
      if (uncovered !== null) output.note(uncovered);
    });

  define("delete", "delete what identifies the person; the sums of clicks stay")
    .options(PERSON)
    .option("--transfer-to <owner>", "account, or team:<name>, that gets the links of the account")
    .result(async ({ transfer_to: heir, ...person }) => {
      const { privacy } = await services();
      return foundResult(await privacy.delete(given(person), COMMAND, heir), "Nothing was stored.");
    });
}

/** The result of `privacy find` and `privacy delete`. @param none what is said of no rows */
export const foundResult = ({ found, missing, uncovered }: FoundOfPerson, none: string): Result => ({
  ...rowsResult(found, ["location", "rows"], { none }),
  notes: [
    ...(missing > 0
      ? [
          `${pluralize(missing, "server process", "server processes")} did not answer within ten seconds. Clicks that they have not counted are not among it; repeat the command in a minute.`,
        ]
      : []),
    ...(uncovered === null ? [] : [uncovered]),
  ],
});
