import type { Command } from "commander";
import type { CommandContext } from "../cli/command.ts";
import { COMMAND } from "../lib/actor.ts";
import type { FoundPlace, Person, Privacy } from "./privacy.service.ts";

type Context = CommandContext<{ privacy: Privacy }>;
type Options = Person & { json?: true; transferTo?: string };

const COLUMNS = { place: "PLACE", rows: "ROWS" };

export function addPrivacyCommands(program: Command, context: Context): void {
  const group = program
    .command("privacy")
    .description("what is stored of a person: by an address, or an account");
  const show = (found: FoundPlace[], { json }: Options, none: string) => {
    if (json) context.output.json(found);
    else if (found.length > 0) context.output.table(found, COLUMNS);
    else context.output.note(none);
  };

  ofPerson(group.command("find").description("list where something is stored"))
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      const { privacy } = await context.services();
      show(await privacy.find(options), options, "Nothing is stored.");
    });

  ofPerson(group.command("export").description("print what is stored, a line of JSON for each row")).action(
    async (options: Options) => {
      const { privacy } = await context.services();
      for await (const lines of privacy.export(options)) context.output.line(lines.trimEnd());
    },
  );

  ofPerson(group.command("delete").description("delete what identifies the person; the sums of clicks stay"))
    .option("--transfer-to <owner>", "account, or team:<name>, that gets the links of the account")
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      const { privacy } = await context.services();
      show(await privacy.delete(options, COMMAND, options.transferTo), options, "Nothing was stored.");
      context.output.note(
        "Clicks that a running server still counts are not among them; repeat it after a minute.",
      );
    });
}

const ofPerson = (command: Command): Command =>
  command
    .option("--address <address>", "an IP address")
    .option("--account <name>", "name of an account, also of a deleted one");
