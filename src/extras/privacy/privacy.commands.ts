import type { Command } from "commander";
import { type CommandContext, subcommand } from "../../platform/cli/command.ts";
import { COMMAND } from "../../lib/actor.ts";
import type { FoundOfPerson, Person, Privacy } from "./privacy.service.ts";

type Context = CommandContext<{ privacy: Privacy }>;
type Options = Person & { json?: true; transferTo?: string };

const COLUMNS = { location: "LOCATION", rows: "ROWS" };

export function addPrivacyCommands(program: Command, context: Context): void {
  const group = program.command("privacy");
  const show = ({ found, missing, uncovered }: FoundOfPerson, { json }: Options, none: string) => {
    if (json) context.output.json(found);
    else if (found.length > 0) context.output.table(found, COLUMNS);
    else context.output.note(none);
    if (missing > 0)
      context.output.note(
        `${missing} server processes did not answer within ten seconds. Clicks that they have not counted are not among it; repeat the command in a minute.`,
      );
    if (uncovered !== null) context.output.note(uncovered);
  };

  ofPerson(subcommand(group, "find", "list where something is stored"))
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      const { privacy } = await context.services();
      show(await privacy.find(options), options, "Nothing is stored.");
    });

  ofPerson(subcommand(group, "export", "print what is stored, a line of JSON for each row")).action(
    async (options: Options) => {
      const { privacy } = await context.services();
      for await (const lines of privacy.export(options)) context.output.line(lines.trimEnd());
      const uncovered = await privacy.uncovered(options);
      if (uncovered !== null) context.output.note(uncovered);
    },
  );

  ofPerson(subcommand(group, "delete", "delete what identifies the person; the sums of clicks stay"))
    .option("--transfer-to <owner>", "account, or team:<name>, that gets the links of the account")
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      const { privacy } = await context.services();
      show(await privacy.delete(options, COMMAND, options.transferTo), options, "Nothing was stored.");
    });
}

const ofPerson = (command: Command): Command =>
  command
    .option("--address <address>", "an IP address or a mail address")
    .option("--sender <name>", "the name that a visitor gave in a drop box")
    .option("--account <name>", "name of an account, also of a deleted one");
