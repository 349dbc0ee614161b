import type { Command } from "commander";
import type { CommandContext, Output } from "../../platform/cli/command.ts";
import { createDefine, type OptionsOf } from "../../platform/cli/define.ts";
import type { Result } from "../../platform/cli/results.ts";
import { writeResult } from "../../platform/cli/result-file.ts";
import { marked } from "../../platform/http/csv-response.ts";
import type { ExportPage, LinkCsv } from "./service.ts";
import { systemClock } from "../../lib/clock.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { lowerThreadPriority } from "../../lib/thread-priority.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { EVERYTHING, filterOf, filterQuery } from "../list/filter.ts";
import { FILTER_OPTIONS } from "../list/filter-options.ts";
import { EXPORT_COLUMNS, IMPORT_MODES, type ImportResult } from "./import-plan.ts";

type Context = CommandContext<{ csv: LinkCsv }>;

/** The import holds its file in memory. */
const MAX_IMPORT_BYTES = 1024 * 1024 * 1024;
const ITEMS_SHOWN = 20;

/** @param group the commands for links */
export function addCsvCommands(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("import", "import a CSV file of links; exits with 1 when a row failed")
    .argument("<file>", "the file, or - for standard input")
    .option(
      "--mode <mode>",
      "what to do with existing codes: skip, overwrite (with their click counts, if the file has that column) or error",
      { default: "skip", values: IMPORT_MODES },
    )
    .json("print the result as JSON, with every failed row")
    .result(({ mode }, file) => importLinks(context, file, mode));

  define("export", "export links as CSV, ordered by code, with their password hashes")
    .argument("[file]", "the file to write; default: standard output")
    .options(FILTER_OPTIONS)
    .option("--columns <which>", "all: adds domain, title, tags and the other fields of a link", {
      values: EXPORT_COLUMNS,
    })
    .option("--bom", "begin with a byte order mark, by which spreadsheets know UTF-8")
    .action((options, file) => exportLinks(context, file, options));
}

async function importLinks({ services, output }: Context, path: string, given: string): Promise<Result> {
  const mode = IMPORT_MODES.find((one) => one === given);
  if (mode === undefined) throw appError("BadRequest", `--mode must be one of ${IMPORT_MODES.join(", ")}.`);
  const bytes = await readInput(path);
  const { csv } = await services();
  const bars = {
    passwords: output.progress("Hashing passwords, bytes of the file"),
    links: output.progress("Importing, bytes of the file"),
  };
  // A server of this machine comes first.
  lowerThreadPriority();
  const result = await csv
    .import(bytes, { mode, onProgress: ({ stage, done, total }) => bars[stage].update(done, total) })
    .finally(() => Object.values(bars).forEach((bar) => bar.finish()));
  if (result.failed_count > 0) process.exitCode = 1;
  return { json: result, show: (to) => showImport(to, result) };
}

function showImport(output: Output, result: ImportResult): void {
  const { total_rows: total, success_count: taken, skipped_count: skipped, failed_count: failed } = result;
  const { unread_count: unread, ignored_columns: ignored } = result;
  output.line(`${pluralize(total, "row")}: ${taken} imported, ${skipped} skipped, ${failed} failed.`);
  for (const { row, code, error } of result.failed_items.slice(0, ITEMS_SHOWN)) {
    output.note(`line ${row}${code === "" ? "" : ` (${JSON.stringify(code)})`}: ${error}`);
  }
  if (failed > ITEMS_SHOWN) output.note(`and ${failed - ITEMS_SHOWN} more; --json lists them.`);
  if (ignored.length > 0) output.note(`Columns that are not imported: ${ignored.join(", ")}`);
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
  {
    bom,
    ...options
  }: OptionsOf<typeof FILTER_OPTIONS> & { columns: string | undefined; bom?: true | undefined },
): Promise<void> {
  if (options.columns !== undefined && !EXPORT_COLUMNS.some((one) => one === options.columns)) {
    throw appError("BadRequest", `--columns must be ${EXPORT_COLUMNS.join(" or ")}.`);
  }
  const query = validated(filterQuery, options, "The filter");
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
  const written = texts(pages);
  await writeResult(path, bom ? marked(written) : written).finally(() => bar.finish());
  context.output.note(`${pluralize(done, "link")} exported.`);
  const everywhere = await csv.export.count({ ...filter, domain: null });
  const all = await csv.export.count(EVERYTHING);
  const left = [
    ...(everywhere > done
      ? [`${pluralize(everywhere - done, "link")} of other domains (--domain '*' takes all)`]
      : []),
    ...(all > everywhere ? [`${pluralize(all - everywhere, "link")} that the filter does not find`] : []),
    ...(options.columns === "all" ? [] : ["columns such as domain, title and tags (--columns all)"]),
  ];
  if (left.length > 0) context.output.note(`Left out: ${left.join("; ")}.`);
}
