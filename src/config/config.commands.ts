/** `waymark config …`: the stored settings, with the server running or not. */
import { chmod, writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { CommandContext } from "../cli/command.ts";
import type { Config } from "./config.service.ts";
import { generateTemplate } from "../env-settings.ts";
import { appError } from "../lib/errors.ts";
import { type FileFormat, readConfigFile, writeConfigFile } from "./settings-file.ts";
import { type ConfigItem, viewItem } from "./items.ts";
import { definitionOf } from "./definitions.ts";

type Context = CommandContext<{ config: Config }>;

/** The author in the history. */
const CHANGED_BY = "cli";
const FILE_MAX_BYTES = 1024 * 1024;
const RESTART_NOTE = "It takes effect at the next start of the server.";

export function addConfigCommands(program: Command, context: Context): void {
  const group = program.command("config").description("show and change settings");
  addReading(group, context);
  addWriting(group, context);
  addFiles(group, context);
}

type Reveal = { json?: true; showSecrets?: true };

function addReading(group: Command, context: Context): void {
  const config = async () => (await context.services()).config;

  group
    .command("list")
    .description("list the run-time settings")
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

  group
    .command("get")
    .description("print the value of a run-time setting")
    .argument("<key>")
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

  group
    .command("set")
    .description("set a run-time setting; a running server follows within a second")
    .argument("<key>")
    .argument("[value]", "left out: it is asked for when the setting is sensitive")
    .option("--stdin", "read the value from standard input")
    .option("--json", "print JSON")
    .action(
      async (key: string, value: string | undefined, { stdin, json }: { stdin?: true; json?: true }) => {
        const settings = await config();
        const { isSensitive } = settings.getOne(key);
        const given = stdin ? await context.input.text() : value;
        if (given === undefined && !isSensitive) throw appError("BadRequest", `Give a value for ${key}.`);
        const text = given ?? (await context.input.secret(`Value of ${key}: `));
        tell(await settings.set(key, text, CHANGED_BY), json);
      },
    );

  group
    .command("reset")
    .description("return a run-time setting to its default")
    .argument("<key>")
    .option("--json", "print JSON")
    .action(async (key: string, { json }: { json?: true }) => {
      tell(await (await config()).reset(key, CHANGED_BY), json);
    });
}

type ExportOptions = { format?: string; showSecrets?: true; force?: true };
type ImportOptions = { format?: string; dryRun?: true; json?: true };

function addFiles(group: Command, context: Context): void {
  group
    .command("export")
    .description("write the run-time settings to a TOML or JSON file")
    .argument("[file]", "standard output when left out or -", "-")
    .option("--format <toml|json>", "by the file's name when left out, else toml")
    .option("--show-secrets", "write sensitive values instead of a mask")
    .option("--force", "overwrite the file")
    .action((file: string, options: ExportOptions) => exportSettings(context, file, options));

  group
    .command("import")
    .description("set run-time settings from a TOML or JSON file, all or none")
    .argument("<file>", "- for standard input")
    .option("--format <toml|json>", "by the file's name when left out, else toml")
    .option("--dry-run", "check the file and say what would change")
    .option("--json", "print JSON")
    .action((file: string, options: ImportOptions) => importSettings(context, file, options));

  group
    .command("generate")
    .description("write a commented template of the start-up settings")
    .argument("[file]", "- for standard output", "waymark.toml")
    .option("--force", "overwrite the file")
    .action(async (file: string, { force }: { force?: true }) => {
      await writeOut(context, file, generateTemplate(), { force: force === true, secret: true });
    });
}

async function exportSettings(context: Context, file: string, options: ExportOptions): Promise<void> {
  const format = formatOf(file, options.format);
  const { config } = await context.services();
  const secrets = options.showSecrets === true;
  // A generated setting without a value waits for the first start. An import would refuse "".
  const items = config
    .list({ secrets })
    .filter(({ key, value }) => definitionOf(key).editable && !(definitionOf(key).generated && value === ""));
  const text = writeConfigFile(
    items.map((item) => [item.key, item.pendingValue ?? item.value]),
    format,
  );
  await writeOut(context, file, text, { force: options.force === true, secret: secrets });
}

async function importSettings(context: Context, file: string, options: ImportOptions): Promise<void> {
  const source = file === "-" ? await context.input.text() : await readIn(file);
  const { entries, masked } = readConfigFile(source, formatOf(file, options.format));
  const { config } = await context.services();
  const dryRun = options.dryRun === true;
  const changed = await config.setMany(entries, CHANGED_BY, { dryRun });
  if (masked.length > 0) context.output.note(`Unchanged, because the file holds masks: ${masked.join(", ")}`);
  if (options.json) return context.output.json({ dry_run: dryRun, changed, masked });
  for (const key of changed) context.output.line(`${dryRun ? "would change" : "changed"} ${key}`);
  if (changed.length === 0) context.output.line("Nothing to change.");
  const waiting = changed.filter((key) => definitionOf(key).requiresRestart);
  if (waiting.length > 0) context.output.note(`After the next start: ${waiting.join(", ")}`);
}

function formatOf(file: string, given: string | undefined): FileFormat {
  const format = given ?? (file.toLowerCase().endsWith(".json") ? "json" : "toml");
  if (format === "toml" || format === "json") return format;
  throw appError("BadRequest", `--format takes toml or json, not '${format}'.`);
}

async function readIn(file: string): Promise<string> {
  const source = Bun.file(file);
  if (!(await source.exists())) throw appError("BadRequest", `${file} does not exist.`);
  if (source.size > FILE_MAX_BYTES) throw appError("BadRequest", `${file} is larger than 1 MiB.`);
  return source.text();
}

/** The file holds secrets or will, so only its owner may read it. */
async function writeOut(
  context: Context,
  file: string,
  text: string,
  { force, secret }: { force: boolean; secret: boolean },
): Promise<void> {
  if (file === "-") return context.output.line(text.trimEnd());
  const mode = secret ? 0o600 : 0o644;
  try {
    await writeFile(file, text, { mode, flag: force ? "w" : "wx" });
    if (secret) await chmod(file, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      throw appError("Conflict", `${file} exists; choose another name or overwrite it with --force.`);
    }
    throw appError("BadRequest", `${file} can't be written: ${code}.`, { cause: error });
  }
  context.output.note(`Wrote ${file}.`);
}
