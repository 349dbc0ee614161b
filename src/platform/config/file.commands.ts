import type { Command } from "commander";
import { ENV_SETTINGS } from "../settings/env-settings.ts";
import { writeConfigFile } from "./settings-file.ts";
import { readConfigFile } from "./settings-file-reader.ts";
import { definitionOf } from "./definitions.ts";
import { CLI_AUTHOR, type CommandContext, subcommand } from "../cli/command.ts";
import type { Config } from "./config.service.ts";
import { formatOf, readIn, writeOut } from "./command-files.ts";

type Context = CommandContext<{ config: Config }>;
type ExportOptions = { format?: string; showSecrets?: true; force?: true };

type ImportOptions = { format?: string; dryRun?: true; json?: true };

export function addFiles(group: Command, context: Context): void {
  subcommand(group, "export", "write the run-time settings to a TOML or JSON file")
    .argument("[file]", "default: standard output, also -", "-")
    .option("--format <toml|json>", "default: by the file name, otherwise toml")
    .option("--show-secrets", "write sensitive values instead of a mask")
    .option("--force", "overwrite the file")
    .action((file: string, options: ExportOptions) => exportSettings(context, file, options));

  subcommand(group, "import", "set run-time settings from a TOML or JSON file, all or none")
    .argument("<file>", "- for standard input")
    .option("--format <toml|json>", "default: by the file name, otherwise toml")
    .option("--dry-run", "check the file and say what would change")
    .option("--json", "print JSON")
    .action((file: string, options: ImportOptions) => importSettings(context, file, options));

  subcommand(group, "generate", "write a commented template of the start-up settings")
    .argument("[file]", "- for standard output", "waymark.toml")
    .option("--force", "overwrite the file")
    .action(async (file: string, { force }: { force?: true }) => {
      await writeOut(context.output, file, generateTemplate(), { force: force === true, secret: true });
    });
}

async function exportSettings(context: Context, file: string, options: ExportOptions): Promise<void> {
  const format = formatOf(file, options.format);
  const { config } = await context.services();
  const secrets = options.showSecrets === true;
  // The first start generates such a value. An import would refuse "".
  const items = config
    .list({ secrets })
    .filter(({ key, value }) => definitionOf(key).editable && !(definitionOf(key).generated && value === ""));
  const text = writeConfigFile(
    items.map((item) => [item.key, item.pendingValue ?? item.value]),
    format,
  );
  await writeOut(context.output, file, text, { force: options.force === true, secret: secrets });
}

async function importSettings(context: Context, file: string, options: ImportOptions): Promise<void> {
  const source = file === "-" ? await context.input.text() : await readIn(file);
  const { entries, masked } = readConfigFile(source, formatOf(file, options.format));
  const { config } = await context.services();
  const dryRun = options.dryRun === true;
  const changed = await config.setMany(entries, CLI_AUTHOR, { dryRun });
  if (masked.length > 0)
    context.output.note(`Unchanged, because the file has only their masks: ${masked.join(", ")}`);
  if (options.json) return context.output.json({ dry_run: dryRun, changed, masked });
  for (const key of changed) context.output.line(`${dryRun ? "would change" : "changed"} ${key}`);
  if (changed.length === 0) context.output.line("Nothing to change.");
  const waiting = changed.filter((key) => definitionOf(key).requiresRestart);
  if (waiting.length > 0) context.output.note(`After the next start: ${waiting.join(", ")}`);
}

/** A waymark.toml with every setting commented out at its default. */
export function generateTemplate(): string {
  const lines = [
    "# Start-up settings of Waymark. The environment variable WAYMARK__SECTION__KEY overrides each.",
    "",
  ];
  let section = "";
  for (const setting of ENV_SETTINGS) {
    const [name, key] = setting.key.split(".") as [string, string];
    if (name !== section) lines.push(...(section === "" ? [] : [""]), `[${name}]`);
    section = name;
    lines.push(
      `# ${setting.description} (${setting.allowed})`,
      `# ${key} = ${JSON.stringify(setting.default)}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
