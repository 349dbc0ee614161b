import type { Command } from "commander";
import { type CommandContext, subcommand } from "../../platform/cli/command.ts";
import { writeResult } from "../../platform/cli/result-file.ts";
import type { ExportPage, LinkCsv } from "./service.ts";
import { systemClock } from "../../lib/clock.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { filterOf, filterQuery } from "../list/filter.ts";
import { addFilterOptions, filterInput, type FilterOptions } from "../list/filter-options.ts";
import { EXPORT_COLUMNS, IMPORT_MODES, type ImportMode, type ImportResult } from "./import-plan.ts";

type Context = CommandContext<{ csv: LinkCsv }>;

/** The import holds its file in memory. */
const MAX_IMPORT_BYTES = 1024 * 1024 * 1024;
const ITEMS_SHOWN = 20;

export function addCsvCommands(links: Command, context: Context): void {
  subcommand(links, "import", "import a CSV file of links; exits with 1 when a row failed")
    .argument("<file>", "the file, or - for standard input")
    .option(
      "--mode <mode>",
      "what to do with existing codes: skip, overwrite (with their click counts, if the file has that column) or error",
      "skip",
    )
    .option("--json", "print the result as JSON, with every failed row")
    .action((file: string, options: ImportCommandOptions) => importLinks(context, file, options));
  addFilterOptions(
    subcommand(links, "export", "export links as CSV, ordered by code, with their password hashes").argument(
      "[file]",
      "the file to write; default: standard output",
    ),
  )
    .option("--columns <which>", "all: adds domain, title, tags and the other fields of a link")
    .action((file: string | undefined, options: ExportCommandOptions) => exportLinks(context, file, options));
}

type ExportCommandOptions = FilterOptions & { columns?: string };

type ImportCommandOptions = { mode: string; json?: true };

async function importLinks(
  context: Context,
  path: string,
  { mode, json }: ImportCommandOptions,
): Promise<void> {
  if (!isMode(mode)) throw appError("BadRequest", `--mode must be one of ${IMPORT_MODES.join(", ")}.`);
  const bytes = await readInput(path);
  const { csv } = await context.services();
  const bars = {
    passwords: context.output.progress("Hashing passwords, bytes of the file"),
    links: context.output.progress("Importing, bytes of the file"),
  };
  const result = await csv
    .import(bytes, { mode, onProgress: ({ stage, done, total }) => bars[stage].update(done, total) })
    .finally(() => Object.values(bars).forEach((bar) => bar.finish()));
  if (json) context.output.json(result);
  else show(context, result);
  if (result.failed_count > 0) process.exitCode = 1;
}

const isMode = (text: string): text is ImportMode => (IMPORT_MODES as readonly string[]).includes(text);

function show({ output }: Context, result: ImportResult): void {
  const { total_rows: total, success_count: taken, skipped_count: skipped, failed_count: failed } = result;
  const unread = result.unread_count;
  output.line(`${pluralize(total, "row")}: ${taken} imported, ${skipped} skipped, ${failed} failed.`);
  for (const { row, code, error } of result.failed_items.slice(0, ITEMS_SHOWN)) {
    output.note(`line ${row}${code === "" ? "" : ` (${JSON.stringify(code)})`}: ${error}`);
  }
  if (failed > ITEMS_SHOWN) output.note(`and ${failed - ITEMS_SHOWN} more; --json lists them.`);
  if (unread === 0) return;
  const them = unread === 1 ? "it were" : "they were";
  output.note(`${pluralize(unread, "cell")} can't be read. The links are imported as if ${them} empty:`);
  for (const { row, code, column, value } of result.unread_items.slice(0, ITEMS_SHOWN)) {
    output.note(`line ${row} (${JSON.stringify(code)}): ${column} ${JSON.stringify(value)}`);
  }
  if (unread > ITEMS_SHOWN) output.note(`and ${unread - ITEMS_SHOWN} more; --json lists them.`);
}

/** @throws BadRequest if unreadable, FileTooLarge, CsvFileMissing if empty */
async function readInput(path: string): Promise<Buffer> {
  const source = path === "-" ? Bun.stdin.stream() : Bun.file(path).stream();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of source) {
      size += chunk.byteLength;
      if (size > MAX_IMPORT_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw appError("BadRequest", `Can't read ${path}: ${messageOf(cause)}`, { cause });
  }
  if (size > MAX_IMPORT_BYTES)
    throw appError("FileTooLarge", "The file is larger than 1 GiB; import it in parts.");
  if (size === 0) throw appError("CsvFileMissing", "The file is empty.");
  return Buffer.concat(chunks);
}

async function exportLinks(
  context: Context,
  path: string | undefined,
  options: ExportCommandOptions,
): Promise<void> {
  if (options.columns !== undefined && !EXPORT_COLUMNS.some((one) => one === options.columns)) {
    throw appError("BadRequest", `--columns must be ${EXPORT_COLUMNS.join(" or ")}.`);
  }
  const query = validated(filterQuery, filterInput(options), "The filter");
  const { csv } = await context.services();
  const filter = filterOf(await csv.owners.resolved(query), systemClock.now(), csv.domainOf);
  const bar = context.output.progress("Exporting links");
  const total = await csv.export.count(filter);
  let done = 0;
  const texts = async function* (pages: AsyncGenerator<ExportPage, void>) {
    for await (const { text, links } of pages) {
      yield text;
      bar.update((done += links), total);
    }
  };
  const pages = csv.export.pages(filter, { whole: options.columns === "all" });
  await writeResult(path, texts(pages)).finally(() => bar.finish());
  context.output.note(`${pluralize(done, "link")} exported.`);
}
