/** `waymark config …` works with the server running or not. */
import type { Command } from "commander";
import { CLI_AUTHOR, type CommandContext, subcommand } from "../cli/command.ts";
import type { Config } from "./config.service.ts";
import { appError } from "../../lib/errors.ts";
import { type ConfigItem, viewItem } from "./items.ts";
import { addFiles } from "./file.commands.ts";

type Context = CommandContext<{ config: Config }>;

const RESTART_NOTE = "It takes effect at the next start of the server.";

export function addConfigCommands(program: Command, context: Context): void {
  const group = program.command("config");
  addReading(group, context);
  addWriting(group, context);
  addFiles(group, context);
}

type Reveal = { json?: true; showSecrets?: true };

function addReading(group: Command, context: Context): void {
  const config = async () => (await context.services()).config;

  subcommand(group, "list", "list the run-time settings")
    .option("--category <name>", "only this category")
    .option("--json", "print JSON")
    .option("--show-secrets", "print sensitive values instead of a mask")
    .action(async ({ category, json, showSecrets }: Reveal & { category?: string }) => {
      const all = (await config()).list({ secrets: showSecrets === true });
      const items = all.filter((item) => category === undefined || item.category === category);
      if (items.length === 0) {
        const categories = [...new Set(all.map((item) => item.category))].join(", ");
        throw appError("BadRequest", `There is no category '${category}'. The categories are ${categories}.`);
      }
      if (json) return context.output.json(items.map(viewItem));
      return context.output.table(items, { key: "KEY", value: "VALUE", valueType: "TYPE" });
    });

  subcommand(group, "get <key>", "print the value of a run-time setting")
    .option("--json", "print JSON")
    .option("--show-secrets", "print a sensitive value instead of a mask")
    .action(async (key: string, { json, showSecrets }: Reveal) => {
      const item = (await config()).getOne(key, { secrets: showSecrets === true });
      if (json) context.output.json(viewItem(item));
      else context.output.line(item.value);
    });
}

function addWriting(group: Command, context: Context): void {
  const config = async () => (await context.services()).config;
  const tell = (item: ConfigItem, json: true | undefined) => {
    if (json) return context.output.json(viewItem(item));
    context.output.line(`${item.key} = ${item.value}`);
    if (item.requiresRestart) context.output.note(RESTART_NOTE);
  };

  subcommand(group, "set <key>", "set a run-time setting; a running server follows within a second")
    .argument("[value]", "if omitted, the command asks for a sensitive value")
    .option("--stdin", "read the value from standard input")
    .option("--json", "print JSON")
    .action(
      async (key: string, value: string | undefined, { stdin, json }: { stdin?: true; json?: true }) => {
        const settings = await config();
        const { isSensitive } = settings.getOne(key);
        const given = stdin ? await context.input.text() : value;
        if (given === undefined && !isSensitive) throw appError("BadRequest", `Give a value for ${key}.`);
        const text = given ?? (await context.input.secret(`Value of ${key}: `));
        tell(await settings.set(key, text, CLI_AUTHOR), json);
      },
    );

  subcommand(group, "reset <key>", "return a run-time setting to its default")
    .option("--json", "print JSON")
    .action(async (key: string, { json }: { json?: true }) => {
      tell(await (await config()).reset(key, CLI_AUTHOR), json);
    });
}
