import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import type { Output } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import type { Result } from "../../platform/cli/results.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { quantityOfBytes } from "../../visitors/quantity-text.ts";
import { pathNames } from "../tree/lookup.ts";
import { openLocal } from "../local-file.ts";
import { type Context, nullIfNotFound, OWNER, type Owned } from "./place.commands.ts";
import { createPut, localTotals, MOST_NOTES, type PutJob, type PutProgress, type PutReport } from "./put.ts";

/** How many of the files that were left out or failed a text names. */
const MOST_SHOWN = 20;

export function addPut(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("put", "upload a file, or a folder with all in it; repeat it after an interruption")
    .options(OWNER)
    .argument("<source>", "file or folder of this machine; -: standard input, which needs a destination")
    .argument(
      "[destination]",
      "of a file: folder, or path; default: the root. Of a folder: the folder that gets its contents; default: /<its name>",
    )
    .option("--replace", "give files with other content the new one; their shares serve it")
    .option("--follow-links", "upload what symbolic links lead to; else they are left out")
    .option("--dry-run", "only say what would be uploaded")
    .result((options, source, destination) => runPut(context, { source, destination, ...options }));
}

type Putting = Owned &
  Record<"replace" | "dry_run" | "follow_links", true | undefined> & {
    source: string;
    destination: string | undefined;
  };

async function runPut(context: Context, putting: Putting): Promise<Result> {
  const {
    source,
    destination,
    replace = false,
    dry_run: dryRun = false,
    follow_links: follow = false,
  } = putting;
  const { drive } = await context.services();
  const accountId = await drive.trees.forCommand(putting);
  const put = createPut(drive);
  const job = { accountId, replace, dryRun, follow };
  const isStream = source === "-";
  const local = isStream
    ? null
    : await stat(source).catch((error: unknown) => Promise.reject(unread(source, error)));
  if (local?.isDirectory()) {
    const to =
      destination === undefined ? [checkFileName(basename(resolve(source)))] : pathNames(destination);
    const report = await withProgress(context, await localTotals(source, follow), (onProgress) =>
      put.folder(source, { ...job, to }, onProgress),
    );
    return reportResult(report, dryRun);
  }
  if (local !== null && !local.isFile())
    throw appError("BadRequest", `${source} is neither a file nor a folder.`);
  const place = await placeOfFile(context, putting, accountId);
  const one: PutJob = { ...job, to: place.to };
  if (isStream) {
    if (dryRun || replace)
      throw appError("BadRequest", "--dry-run and --replace are not for standard input.");
    return reportResult(await put.stream(process.stdin, place.name, one), false);
  }
  // Named by the caller, so a link is followed.
  const file = await openLocal(source, true).catch((error: unknown) => Promise.reject(unread(source, error)));
  try {
    const report = await withProgress(context, { files: 1, bytes: file.size }, (onProgress) =>
      put.file(file, place.name, one, onProgress),
    );
    return reportResult(report, dryRun);
  } finally {
    await file.close();
  }
}

const unread = (path: string, error: unknown): Error => {
  if (error instanceof AppError) return error;
  const { code } = error as { code?: unknown };
  if (code === "ENOENT") return appError("NotFound", `There is no ${path}.`);
  return appError("BadRequest", `${path} can't be read: ${fileTrouble(error) ?? (error as Error).message}`);
};

/** Puts the file into a folder that is there or ends in a slash under its own name, else under the last name of the path. */
async function placeOfFile(
  { services }: Context,
  { source, destination }: Putting,
  accountId: number,
): Promise<{ to: string[]; name: string }> {
  const own = source === "-" ? null : basename(resolve(source));
  const names = pathNames(destination ?? "/");
  const { lookup } = (await services()).drive;
  const isFolder =
    names.length === 0 ||
    destination!.endsWith("/") ||
    (await lookup.at(accountId, destination!).catch(nullIfNotFound))?.kind === "folder";
  const name = isFolder ? own : names.at(-1)!;
  if (name === null) {
    throw appError("BadRequest", "Standard input has no name; give a path as destination.");
  }
  return { to: isFolder ? names : names.slice(0, -1), name };
}

async function withProgress(
  { output }: Context,
  total: PutProgress,
  run: (onProgress: (done: PutProgress) => void) => Promise<PutReport>,
): Promise<PutReport> {
  const line = output.progress("Uploading");
  const start = performance.now();
  const size = (bytes: number) => quantityOfBytes("en", bytes);
  try {
    return await run(({ files, bytes }) =>
      line.show(() => {
        const seconds = (performance.now() - start) / 1000;
        const rate = bytes / seconds;
        const left = rate > 0 ? Math.ceil(Math.max(total.bytes - bytes, 0) / rate) : 0;
        return `${count(files)} of ${pluralize(total.files, "file")}, ${size(bytes)} of ${size(total.bytes)}, ${size(Math.round(rate))}/s, ${left} s left`;
      }),
    );
  } finally {
    line.finish();
  }
}

const count = (number: number): string => number.toLocaleString("en");

function reportResult(report: PutReport, dryRun: boolean): Result {
  if (report.failed > 0) process.exitCode = 1;
  return { json: { ...report, dry_run: dryRun }, show: (output) => showReport(output, report, dryRun) };
}

function showReport(output: Output, report: PutReport, dryRun: boolean): void {
  for (const { path, reason, failed } of report.notes.slice(0, MOST_SHOWN)) {
    output.note(`${failed ? "Failed" : "Left out"}: ${JSON.stringify(path)}: ${reason}`);
  }
  const all = report.failed + report.left_out;
  if (all > MOST_SHOWN) {
    output.note(`… and ${all - MOST_SHOWN} more; --json lists the first ${MOST_NOTES}.`);
  }
  const parts = [
    `${dryRun ? "Would upload" : "Uploaded"} ${pluralize(report.uploaded, "file")} (${quantityOfBytes("en", report.bytes)})`,
    `${count(report.unchanged)} there already`,
    ...(report.replaced > 0 ? [`${count(report.replaced)} of them replaced`] : []),
    ...(report.left_out > 0 ? [`${count(report.left_out)} left out`] : []),
    ...(report.failed > 0 ? [`${count(report.failed)} failed`] : []),
  ];
  output.line(`${parts.join(", ")}.`);
}
