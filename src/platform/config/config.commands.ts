/** `waymark config …` works with the server running or not. */
import { chmod, writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { CLI_AUTHOR, type CommandContext, type Output } from "../cli/command.ts";
import { createDefine, type ValuesOf } from "../cli/define.ts";
import { lineResult, noteResult, type Result, rowsResult } from "../cli/results.ts";
import type { listSettings } from "../settings/env-settings.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { appError } from "../../lib/errors.ts";
import type { Config } from "./config.service.ts";
import { CONFIG_KEYS, definitionOf, isConfigKey } from "./definitions.ts";
import { type ConfigItem, viewItem } from "./items.ts";
import { FILE_FORMATS, type FileFormat, writeConfigFile } from "./settings-file.ts";
import { readConfigFile } from "./settings-file-reader.ts";

type StartRows = ReturnType<typeof listSettings>;
type Context = CommandContext<{ config: Config }> & { startSettings: StartRows };

const RESTART_NOTE = "It takes effect after 'waymark config restart', or at the next start of the server.";
const CATEGORIES = [...new Set(CONFIG_KEYS.map((key) => definitionOf(key).category))];
const keyWords = (keys: readonly (typeof CONFIG_KEYS)[number][]) =>
  keys.map((key) => [key, definitionOf(key).description] as const);
const EDITABLE = keyWords(CONFIG_KEYS.filter((key) => definitionOf(key).editable));

/** What a shell completes as the value of a setting. */
const settingValues: ValuesOf = (_, [key = ""]) => {
  if (!isConfigKey(key)) return [];
  const { type, options } = definitionOf(key);
  if (type === "bool") return ["true", "false"].map((word) => [word, ""]);
  return type === "enum" ? (options ?? []).map(({ value, label }) => [value, label]) : [];
};

export function addConfigCommands(program: Command, context: Context): void {
  const group = program.command("config");
  addReading(group, context);
  addWriting(group, context);
  addFiles(group, context);
}

function addReading(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("list", "list the run-time settings")
    .option("--category <name>", "only this category", { values: CATEGORIES })
    .json("print JSON")
    .option("--show-secrets", "print sensitive values instead of a mask")
    .result(async ({ category, show_secrets: secrets = false }) => {
      const { config } = await context.services();
      const items = config.list({ secrets }).filter((item) => !category || item.category === category);
      if (items.length === 0) {
        throw appError(
          "BadRequest",
          `There is no category '${category}'. The categories are ${CATEGORIES.join(", ")}.`,
        );
      }
      return {
        ...rowsResult(items, ["key", "value", ["valueType", "TYPE"]]),
        json: items.map(viewItem),
      };
    });

  define("get", "print the value of a run-time setting")
    .argument("<key>", "", { values: keyWords(CONFIG_KEYS) })
    .json("print JSON")
    .option("--show-secrets", "print a sensitive value instead of a mask")
    .result(async ({ show_secrets: secrets = false }, key) => {
      const item = (await context.services()).config.getOne(key, { secrets });
      return lineResult(viewItem(item), item.value);
    });
}

const itemResult = (item: ConfigItem): Result => ({
  json: viewItem(item),
  show(output) {
    output.line(`${item.key} = ${item.value}`);
    if (item.requiresRestart) output.note(RESTART_NOTE);
  },
});

function addWriting(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("restart", "start the workers of running servers anew, for settings that need a restart")
    .json("print JSON")
    .result(async () => {
      await (await context.services()).config.restart({ name: CLI_AUTHOR });
      return noteResult({ message: "restarting" }, "Running servers start their workers anew.");
    });

  define("set", "set a run-time setting; a running server follows within a second")
    .argument("<key>", "", { values: EDITABLE })
    .argument("[value]", "if omitted, the command asks for a sensitive value", { values: settingValues })
    .option("--stdin", "read the value from standard input")
    .result(async ({ stdin }, key, value) => {
      const { config } = await context.services();
      const { isSensitive } = config.getOne(key);
      const given = stdin ? await context.input.text() : value;
      if (given === undefined && !isSensitive) throw appError("BadRequest", `Give a value for ${key}.`);
      const text = given ?? (await context.input.secret(`Value of ${key}: `));
      return itemResult(await config.set(key, text, CLI_AUTHOR));
    });

  define("reset", "return a run-time setting to its default")
    .argument("<key>", "", { values: EDITABLE })
    .result(async (_, key) => itemResult(await (await context.services()).config.reset(key, CLI_AUTHOR)));
}

const FORMAT = [
  "--format <toml|json>",
  "default: by the file name, otherwise toml",
  { values: FILE_FORMATS },
] as const;
const FORCE = ["--force", "overwrite the file"] as const;

function addFiles(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("export", "write the run-time settings to a TOML or JSON file")
    .argument("[file]", "default: standard output, also -", { default: "-" })
    .option(...FORMAT)
    .option("--show-secrets", "write sensitive values instead of a mask")
    .option(...FORCE)
    .action(async ({ format, show_secrets: secrets = false, force = false }, file) => {
      const text = await exportSettings(context, secrets, formatOf(file, format));
      await writeOut(context.output, file, text, { force, secret: secrets });
    });

  define("import", "set run-time settings from a TOML or JSON file, all or none")
    .argument("<file>", "- for standard input")
    .option(...FORMAT)
    .option("--dry-run", "check the file and say what would change")
    .result((options, file) => importSettings(context, file, options));

  define("generate", "write a commented template of the start-up settings")
    .argument("[file]", "- for standard output", { default: "waymark.toml" })
    .option(...FORCE)
    .action(({ force = false }, file) =>
      writeOut(context.output, file, generateTemplate(context.startSettings), { force, secret: true }),
    );
}

async function exportSettings({ services }: Context, secrets: boolean, format: FileFormat): Promise<string> {
  const { config } = await services();
  // The first start generates such a value. An import would refuse "".
  const items = config
    .list({ secrets })
    .filter(({ key, value }) => definitionOf(key).editable && !(definitionOf(key).generated && value === ""));
  return writeConfigFile(
    items.map((item) => [item.key, item.pendingValue ?? item.value]),
    format,
  );
}

async function importSettings(
  { services, input, output }: Context,
  file: string,
  { format, dry_run: dryRun = false }: { format: string | undefined; dry_run: boolean | undefined },
): Promise<Result> {
  const source = file === "-" ? await input.text() : await readIn(file);
  const { entries, masked } = readConfigFile(source, formatOf(file, format));
  const { config } = await services();
  const changed = await config.setMany(entries, CLI_AUTHOR, { dryRun });
  if (masked.length > 0)
    output.note(`Unchanged, because the file has only their masks: ${masked.join(", ")}`);
  return {
    json: { dry_run: dryRun, changed, masked },
    show({ line, note }) {
      for (const key of changed) line(`${dryRun ? "would change" : "changed"} ${key}`);
      if (changed.length === 0) line("Nothing to change.");
      const waiting = changed.filter((key) => definitionOf(key).requiresRestart);
      if (waiting.length > 0) note(`After 'waymark config restart': ${waiting.join(", ")}`);
    },
  };
}

/** A waymark.toml with every setting commented out at its default. */
export function generateTemplate(settings: StartRows): string {
  const lines = [
    "# Start-up settings of Waymark. The environment variable WAYMARK__SECTION__KEY overrides each.",
    "",
  ];
  let section = "";
  for (const setting of settings) {
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

/** Takes any export: documents of `features.well_known` are at most 2 MiB, and escaped at most twice as long. */
const FILE_MAX_BYTES = 8 * 1024 * 1024;

function formatOf(file: string, given: string | undefined): FileFormat {
  const format = given ?? (asciiLower(file).endsWith(".json") ? "json" : "toml");
  const known = FILE_FORMATS.find((one) => one === format);
  if (known !== undefined) return known;
  throw appError("BadRequest", `--format must be ${FILE_FORMATS.join(" or ")}, not '${format}'.`);
}

async function readIn(file: string): Promise<string> {
  const source = Bun.file(file);
  if (!(await source.exists())) throw appError("BadRequest", `${file} does not exist.`);
  if (source.size > FILE_MAX_BYTES) throw appError("BadRequest", `${file} is larger than 8 MiB.`);
  return source.text();
}

/** Readable by its owner only, because it may hold secrets. */
async function writeOut(
  output: Output,
  file: string,
  text: string,
  { force, secret }: { force: boolean; secret: boolean },
): Promise<void> {
  if (file === "-") return output.line(text.trimEnd());
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
  output.note(`Wrote ${file}.`);
}
