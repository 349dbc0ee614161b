/** `waymark import`: moves from other products, their undo and confirmation. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import {
  type CommandContext,
  JSON_OPTION,
  type JsonOption,
  type ProgressLine,
  subcommand,
} from "../../platform/cli/command.ts";
import { CompletedOption, createDefine } from "../../platform/cli/define.ts";
import { parseId, rowsResult } from "../../platform/cli/results.ts";
import { writeResult } from "../../platform/cli/result-file.ts";
import { COMMAND } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { lowerThreadPriority } from "../../lib/thread-priority.ts";
import { addCompareCommand } from "./compare/commands.ts";
import { viewOfImport } from "./import-view.ts";
import type { Imports, NewImport } from "./imports.ts";
import { reportOf } from "./imports.routes.ts";
import type { StoredImport } from "./move/repository.ts";
import { type ImportReport, type Note, ON_CONFLICT, type MoveOptions } from "./move/state.ts";
import type { Work } from "./move/work.ts";
import { quantityOfBytes } from "../../visitors/quantity-text.ts";
import { type Product, PRODUCT_NAMES, PRODUCTS } from "./readers/products.ts";

type Context = CommandContext<{ imports: Imports }>;

const WAITING =
  "Another process works on this import, or was killed less than a minute ago. This command goes on then.";
const WAIT_MS = 500;

const COLUMNS = [
  "id",
  ["product", "FROM"],
  "state",
  ["created_at", "AT"],
  "links",
  "visits",
  "source",
] as const;
const MOST_LISTED = 100;
/** The limit for the JSON of a dry run. */
const MOST_NOTES = 100_000;

type ImportOptions = JsonOption & {
  dryRun?: true;
  visits?: true;
  onConflict: string;
  disabled?: true;
  addDomains?: true;
  map?: string;
  stdin?: true;
};

export function addImportCommands(
  program: Command,
  context: Context & Parameters<typeof addCompareCommand>[1],
): void {
  const group = program.command("import");
  for (const product of PRODUCT_NAMES) addProductCommand(group, product, context);
  addMoveCommands(group, context);
  addCompareCommand(group, context);
}

function addProductCommand(group: Command, product: Product, context: Context): void {
  const { title, takes, schemes = [], needsKey } = PRODUCTS[product];
  const addresses = schemes.map((scheme) => `${scheme}://… address`);
  const sources = [...takes.filter((kind) => kind !== "address"), ...addresses];
  const command = subcommand(
    group,
    product,
    `import from ${title}; exits with 1 when something was not imported`,
  )
    .argument("<source>", sources.join(" or "))
    .option("--dry-run", "show what will be imported and what will not; change nothing")
    .option("--visits", "with the visits and their dates, where the source has them")
    .addOption(
      new CompletedOption([
        "--on-conflict <what>",
        "with taken codes: skip, rename or fail",
        { field: "onConflict", default: "skip", values: ON_CONFLICT },
      ]),
    )
    .option("--disabled", "links lead nowhere until they are approved")
    .option("--add-domains", "add the domains that the source has and Waymark lacks")
    .option(...JSON_OPTION);
  if (product === "csv")
    command.option("--map <columns>", 'columns of the file, such as code=Short,target="Long URL"');
  if (needsKey) command.option("--stdin", "read the key of the API from standard input instead of asking");
  command.action((source: string, options: ImportOptions) => importFrom(context, product, source, options));
}

async function importFrom(
  context: Context,
  product: Product,
  source: string,
  options: ImportOptions,
): Promise<void> {
  const conflict = ON_CONFLICT.find((one) => one === options.onConflict);
  if (conflict === undefined)
    throw appError("BadRequest", `--on-conflict must be one of ${ON_CONFLICT.join(", ")}.`);
  const isAddress = isUrl(source);
  const needsKey = isAddress && PRODUCTS[product].needsKey === true;
  const key = !needsKey
    ? null
    : options.stdin
      ? await context.input.text()
      : await context.input.secret("Key of the API: ");
  if (!isAddress && !existsSync(source))
    throw appError("BadRequest", `There is no file or folder ${source}.`);
  const made: NewImport = {
    product,
    source: placeOf(source),
    file: null,
    key,
    options: {
      map: mapOf(options.map),
      visits: options.visits === true,
      on_conflict: conflict,
      disabled: options.disabled === true,
      add_domains: options.addDomains === true,
    },
  };
  return options.dryRun ? dryRun(context, made, options) : runImport(context, made, options);
}

async function dryRun(
  { services, output }: Context,
  made: NewImport,
  { json }: ImportOptions,
): Promise<void> {
  const { imports } = await services();
  const bar = output.progress("Reading");
  const notes: Note[] = [];
  const report = await imports
    .preview(made, progressOn(bar), (some) => {
      notes.push(...some.slice(0, MOST_NOTES - notes.length));
    })
    .finally(() => bar.finish());
  if (json) return output.json({ ...report, notes });
  for (const { name, field } of report.columns)
    output.line(`column ${JSON.stringify(name)}: ${field ?? "not imported"}`);
  output.line("Nothing is changed.");
  showReport(output, report, { verb: "will be imported", options: made.options });
  output.table(report.samples.slice(0, 5), {
    code: "CODE",
    target: "TARGET",
    title: "TITLE",
    click_count: "ALL CLICKS",
  });
  noteLosses(output, made.product);
}

const noteLosses = ({ note }: Pick<Context["output"], "note">, product: Product): void =>
  PRODUCTS[product].notImported.forEach((lost) => note(lost));

async function runImport(context: Context, made: NewImport, options: ImportOptions): Promise<void> {
  const { imports } = await context.services();
  const row = await imports.create(made, COMMAND, "running");
  context.output.note(`Import ${row.id}: "waymark import undo ${row.id}" reverts it until it is confirmed.`);
  await goOn(context, row.id, { source: made.source, json: options.json });
}

type Going = JsonOption & { source?: string | undefined; key?: string | null };

/** Works in this process; waits while another one does, or until its lease has run out. */
async function workOn({ services, output }: Context, id: number, how: Work = {}): Promise<StoredImport> {
  const { imports } = await services();
  const bar = output.progress("Importing");
  const onProgress = progressOn(bar);
  // A server of this machine comes first.
  lowerThreadPriority();
  try {
    for (let tries = 0; !(await imports.work(id, { ...how, onProgress })); tries++) {
      if (tries === 0) output.note(WAITING);
      await Bun.sleep(WAIT_MS);
      onProgress((await imports.find(id)).report);
    }
  } finally {
    bar.finish();
  }
  return imports.find(id);
}

async function goOn(context: Context, id: number, { source, key, json }: Going): Promise<void> {
  const { output } = context;
  const how = { ...(source !== undefined && { source }), ...(key && { key }) };
  const row = await workOn(context, id, how).catch((error: unknown) => {
    if (error instanceof AppError)
      output.note(`"waymark import resume ${id}" continues it, "waymark import undo ${id}" reverts it.`);
    throw error;
  });
  if (json) output.json(viewOfImport(row));
  else {
    showReport(output, row.report, { verb: "imported", options: row.options });
    noteLosses(output, row.product);
  }
  const { counts } = row.report;
  const left = counts.links_refused + counts.links_skipped + counts.visits_refused + counts.files_refused;
  if (row.state === "done" && left > 0) {
    if (!json) output.note(`"waymark import report ${id}" lists each of them.`);
    process.exitCode = 1;
  }
}

function addMoveCommands(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("list", "the imports, newest first").result(async () => {
    const { imports } = await context.services();
    return rowsResult((await imports.page(null, MOST_LISTED)).map(viewOfImport), COLUMNS, {
      cells: ({ counts }) => ({ links: counts.links_imported, visits: counts.visits_imported }),
    });
  });
  subcommand(group, "show <id>", "one import, as JSON").action(async (id: string) => {
    const { imports } = await context.services();
    context.output.json(viewOfImport(await imports.find(idOf(id))));
  });
  subcommand(group, "report <id>", "what an import left out or changed, as CSV")
    .argument("[file]", "the file to write; default: standard output")
    .action(async (id: string, file: string | undefined) => {
      const { imports } = await context.services();
      const { id: known } = await imports.find(idOf(id));
      await writeResult(file, reportOf(imports, known));
    });
  subcommand(group, "resume <id>", "go on with an import that was stopped")
    .argument("[source]", "where the file is now; the address again, if it has a password")
    .option("--stdin", "read the key of the API from standard input")
    .option(...JSON_OPTION)
    .action(async (text: string, source: string | undefined, options: JsonOption & { stdin?: true }) => {
      const { imports } = await context.services();
      const id = idOf(text);
      const { state, source: stored } = await imports.find(id);
      if (source === undefined && isUrl(stored) && !/^https?:/i.test(stored)) {
        const address = stored.replace("://", "://USER:PASSWORD@");
        throw appError(
          "BadRequest",
          `The password is not stored. Give the address again: waymark import resume ${id} ${address}`,
        );
      }
      if (state === "stopped") await imports.actions.start(id);
      const key = options.stdin ? await context.input.text() : null;
      await goOn(context, id, {
        source: source === undefined ? undefined : placeOf(source),
        key,
        json: options.json,
      });
    });
  for (const [name, description] of [
    ["undo", "revert an import, except for links that were changed since"],
    ["confirm", "keep an import for good; it can't be undone any more"],
  ] as const) {
    subcommand(group, `${name} <id>`, description)
      .option(...JSON_OPTION)
      .action(async (text: string, options: JsonOption) => {
        const { imports } = await context.services();
        const id = idOf(text);
        const { state } = await imports.find(id);
        if (state !== "undoing" && state !== "confirming") await imports.actions[name](id);
        const row = await workOn(context, id);
        if (options.json) context.output.json(viewOfImport(row));
        else if (name === "confirm") context.output.line(`Import ${id} is confirmed.`);
        else {
          const { links_removed: removed, links_kept: kept, files_removed: files } = row.report.counts;
          context.output.line(
            `${pluralize(removed, "link")}${files > 0 ? ` and ${pluralize(files, "file")}` : ""} removed, ${kept} kept because they were changed since.`,
          );
        }
      });
  }
}

const isUrl = (source: string): boolean => /^[a-z]+:\/\//i.test(source);
const placeOf = (source: string): string => (isUrl(source) ? source : resolve(source));

const progressOn = (bar: ProgressLine) => (report: ImportReport) => {
  const { links_read: links, visits_read: visits, bytes_read: bytes } = report.counts;
  if (report.stage !== "files") return bar.update(links + visits, report.total ?? undefined);
  bar.show(() => `${quantityOfBytes("en", bytes)} of ${quantityOfBytes("en", report.total ?? bytes)}`);
};

const idOf = (text: string): number => parseId(text, "An import has a number; see: waymark import list");

const MAP_FORM = 'Write --map such as code=Short,target="Long URL".';

/** `code=Short,target="Long URL"`: with quotes around a whole pair, or around the name of a column. */
function mapOf(text: string | undefined): Record<string, string> {
  const pairs: string[] = [];
  let isQuoted = false;
  for (const part of (text ?? "").split(",")) {
    if (isQuoted) pairs.push(`${pairs.pop()},${part}`);
    else pairs.push(part);
    if (part.split('"').length % 2 === 0) isQuoted = !isQuoted;
  }
  if (isQuoted) throw appError("BadRequest", MAP_FORM);
  const given = pairs.map((pair) => pair.replaceAll('"', "").trim()).filter((pair) => pair !== "");
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw appError("BadRequest", MAP_FORM);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

const SHOWN = 20;

/** What an import does or did, for a terminal. */
function showReport(
  { line, note }: { line(text: string): void; note(text: string): void },
  { counts, reasons, domains }: ImportReport,
  {
    verb,
    options: { add_domains: isAdded },
  }: { verb: "will be imported" | "imported"; options: MoveOptions },
): void {
  const sentences = [
    `${pluralize(counts.links_read, "link")} read: ${counts.links_imported} ${verb} (${counts.links_renamed} renamed, ${counts.links_disabled} disabled), ${counts.links_skipped} skipped, ${counts.links_refused} refused.`,
  ];
  if (counts.files_read > 0) {
    sentences.push(
      `${pluralize(counts.files_read, "file")} read: ${counts.files_imported} (${quantityOfBytes("en", counts.bytes_imported)}) ${verb}, ${counts.files_refused} refused.`,
    );
  }
  if (counts.visits_read > 0) {
    sentences.push(
      `${pluralize(counts.visits_read, "visit")} read: ${counts.visits_imported} ${verb}, ${counts.visits_refused} refused.`,
    );
  }
  if (counts.clicks_without_date > 0) sentences.push(`${counts.clicks_without_date} clicks have no date.`);
  line(sentences.join(" "));
  for (const { kind, reason, count } of reasons.slice(0, SHOWN)) note(`${kind}: ${reason} (${count})`);
  if (reasons.length > SHOWN) note(`and ${reasons.length - SHOWN} more reasons; --json lists them.`);
  const becomes = isAdded ? (verb === "imported" ? "was added" : "will be added") : "is missing here";
  for (const { host, links } of domains.slice(0, SHOWN))
    note(`domain ${host} ${becomes} (${pluralize(links, "link")})`);
  if (domains.length > 0 && !isAdded) note("--add-domains adds the domains that are missing.");
}
