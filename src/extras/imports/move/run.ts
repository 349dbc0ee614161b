/**
 * Reads a source and writes it in portions, each in a transaction with the position that it reached: after any kill the
 * import continues there, and can be undone. All of it is one event.
 */
import { appError } from "../../../lib/errors.ts";
import { PRODUCTS } from "../readers/products.ts";
import { prepareLink, sourceKeyOf } from "./link-rows.ts";
import { createNewDomains } from "./new-domains.ts";
import {
  type OnNotes,
  portionsOf,
  type Run,
  type RunDeps,
  endRun,
  writePortion,
  keepIn,
  patiently,
  reached,
} from "./portions.ts";
import { emptyReport, type ImportReport, keepNotes, type Note, countNote } from "./state.ts";
import { completeLinks, decideLinks, type LinkPortion, writeNewLinks } from "./write-links.ts";
import { previewVisits, prepareVisit, type VisitPortion, type VisitTally } from "./write-visits.ts";
import { type Source, isProblem, type SourceFile, type SourceProblem } from "../readers/reader.ts";
import type { ImportRepository, StoredImport } from "./repository.ts";
import { fileTrouble } from "../../../lib/file-trouble.ts";
import { createTimeSlices } from "../../../lib/time-slices.ts";

const PORTION = 500;
const VISITS = 1_000;
const REST_MS = 5;

/** Prepares links, one after the other. `report` is the present one; each portion is written with a copy. */
function preparing({ row, deps }: Run, report: () => ImportReport, isPreview: boolean) {
  const { title } = PRODUCTS[row.product];
  const { rule, domains, clock } = deps;
  const { admit, keyOf } = createNewDomains(domains, row, { report, isPreview });
  const { disabled } = row.options;
  const isDomain = (host: string): boolean => domains.addedAt(host) !== null;
  const reading = { rule, keyOf, isDomain, now: clock.now(), isStrict: row.product === "csv" };
  const rules = { ...reading, disabled, title };
  return async (found: Parameters<typeof prepareLink>[0]) => {
    await admit(found);
    return prepareLink(found, rules);
  };
}

async function importLinks(run: Run): Promise<void> {
  const { row, source, actor, lost, deps } = run;
  row.report.stage = "links";
  row.report.total = source.size?.links ?? null;
  const prepare = preparing(run, () => row.report, false);
  for await (const portion of portionsOf(source.links(row.linkPlace), PORTION, prepare, lost)) {
    await completeLinks(deps.links, portion, { isPreview: false, seen: new Set() });
    const now = deps.clock.now();
    await writePortion(run, { linkPlace: portion.at(-1)!.position }, async (tx, report, notes) => {
      const context = { options: row.options, actor, now };
      const imported = await decideLinks(deps.links, portion, context, {
        seen: new Set(),
        report,
        notes,
        db: tx.db,
      });
      await writeNewLinks(deps.links, tx, imported, { ...row, ...context }, report);
    });
    await Bun.sleep(REST_MS);
  }
}

async function importVisits(run: Run): Promise<void> {
  const { row, source, lost, deps } = run;
  if (source.visits === undefined) return;
  row.report.stage = "visits";
  row.report.total = source.size?.visits ?? null;
  const prepare = (one: Parameters<typeof prepareVisit>[0]) => prepareVisit(one, row.createdAt);
  for await (const portion of portionsOf(source.visits(row.visitPlace), VISITS, prepare, lost)) {
    let remember = () => {};
    await writePortion(run, { visitPlace: portion.at(-1)!.position }, async (tx, report, notes) => {
      remember = await deps.visits.write(tx.db, portion, {
        id: row.id,
        report,
        notes,
        settings: deps.settings(),
      });
    });
    remember();
    await Bun.sleep(REST_MS);
  }
}

async function previewLinks(run: Run, report: ImportReport, onNotes?: OnNotes) {
  const tally: VisitTally = new Map();
  const shares: ShareTally = new Map();
  const { row, source, actor, lost, onProgress, deps } = run;
  const seen = new Set<string>();
  const prepare = preparing(run, () => report, true);
  for await (const portion of portionsOf(source.links(0), PORTION, prepare, lost)) {
    const notes: Note[] = [];
    await completeLinks(deps.links, portion as LinkPortion, { isPreview: true, seen });
    const imported = await decideLinks(
      deps.links,
      portion,
      { options: row.options, actor, now: deps.clock.now() },
      { seen, report, notes },
    );
    for (const { link, sourceKey } of imported.values()) {
      const total = link.clickCount ?? 0;
      report.counts.clicks_imported += total;
      if (row.options.visits && !tally.has(sourceKey)) tally.set(sourceKey, { total, dated: 0 });
    }
    const shared = [...imported.values()].filter(({ share }) => share !== null);
    const owners = await deps.links.files.accountsOf(shared.map(({ share }) => share!.owner));
    for (const [at, { sourceKey }] of shared.entries()) shares.set(sourceKey, owners[at]!);
    keepNotes(report, notes);
    onNotes?.(notes);
    onProgress?.(report);
  }
  report.counts.clicks_without_date = report.counts.clicks_imported;
  return { tally, shares };
}

/** What an import would do. Writes nothing. `onNotes`: every note, while the report has the first 1,000. */
async function preview(run: Run, onNotes?: OnNotes): Promise<ImportReport> {
  const { source, lost, deps } = run;
  const report = {
    ...emptyReport(),
    stage: "preview" as const,
    columns: source.columns ?? [],
    total: source.size?.links ?? null,
  };
  await refuseTwice(run.row, source, deps.repository);
  const { tally, shares } = await previewLinks(run, report, onNotes);
  await previewFiles(run, report, shares, onNotes);
  if (!importsVisits(run.row, source) || source.visits === undefined) return report;
  const prepare = (one: Parameters<typeof prepareVisit>[0]) => prepareVisit(one, deps.clock.now());
  for await (const portion of portionsOf(
    source.visits(0),
    VISITS,
    prepare,
    lost,
  ) as AsyncGenerator<VisitPortion>) {
    const notes = previewVisits(await deps.visits.known(portion, tally), tally, report);
    keepNotes(report, notes);
    onNotes?.(notes);
    run.onProgress?.(report);
  }
  return report;
}

/** Goes on where the row is. @throws Conflict for a taken code, where that ends it */
async function runImport(run: Run): Promise<void> {
  const { row, lost } = run;
  if (row.options.on_conflict === "fail" && row.linkPlace === 0) {
    const { counts } = await preview({
      ...run,
      row: { ...row, options: { ...row.options, visits: false } },
    });
    if (counts.links_skipped > 0) {
      throw appError(
        "Conflict",
        `${counts.links_skipped} of the codes are taken. Nothing was imported; the preview lists them.`,
      );
    }
  }
  await claimOrigin(row, run.source, run.deps.repository, () =>
    writePortion(run, { linkPlace: 1 }, async () => {}),
  );
  await importLinks(run);
  if (importsVisits(row, run.source)) await importVisits(run);
  await importFiles(run);
  lost.throwIfAborted();
  row.report.stage = null;
  await endRun(run);
}

export const createRuns = (deps: RunDeps) => ({
  preview: (run: Omit<Run, "deps">, onNotes?: OnNotes) => preview({ ...run, deps }, onNotes),
  runImport: (run: Omit<Run, "deps">) => runImport({ ...run, deps }),
});

type Origin = Pick<Source, "origin" | "size">;

/** It has nothing else to import. */
const importsVisits = ({ options }: Pick<StoredImport, "options">, { origin }: Origin): boolean =>
  options.visits || origin !== undefined;

/** @throws Conflict if another import has imported it or does so now */
async function refuseTwice(
  row: Pick<StoredImport, "id" | "product">,
  { origin }: Origin,
  repository: Pick<ImportRepository, "ofProduct">,
): Promise<void> {
  if (origin === undefined) return;
  const other = (await repository.ofProduct(row.product)).find(
    ({ id, state, report, visitPlace }) =>
      id !== row.id &&
      report.origin === origin &&
      state !== "undone" &&
      (state !== "stopped" || visitPlace > 0),
  );
  if (other === undefined) return;
  const remedy =
    other.state === "confirmed"
      ? "It is confirmed, so they stay as they are."
      : "To import newer ones of the same successor, undo that import first.";
  throw appError("Conflict", `Import ${other.id} has already imported clicks of this successor. ${remedy}`);
}

/**
 * `claim` stores the report: of two that begin at once each sees the other. @throws Conflict, too if the import goes on
 * with another file
 */
async function claimOrigin(
  row: StoredImport,
  source: Origin,
  repository: Pick<ImportRepository, "ofProduct">,
  claim: () => Promise<void>,
): Promise<void> {
  if (source.origin === undefined) return;
  await refuseTwice(row, source, repository);
  if (row.linkPlace > 0) {
    const { origin, total } = row.report;
    if (origin === source.origin && (row.visitPlace === 0 || total === source.size?.visits)) return;
    throw appError("Conflict", "This is another file. Give the one with which the import began, or undo it.");
  }
  row.report.origin = source.origin;
  await claim();
  await refuseTwice(row, source, repository);
}

/** The accounts that shares of a preview will belong to, by source key. */
type ShareTally = Map<string, number>;

const PREVIEWED = 500;
const NO_SHARE = "Its share was not imported, or is gone.";

const noteOf = (file: SourceFile | SourceProblem, reason: string): Note => ({
  position: file.position,
  kind: "file",
  code: "name" in file ? `${file.code}/${file.name}` : file.code,
  reason,
});

/** Counts the file, which is left out for the reason, if there is one. */
function count(report: ImportReport, file: SourceFile | SourceProblem, reason: string | null): Note[] {
  const { counts } = report;
  const size = isProblem(file) ? 0 : file.size;
  counts.files_read++;
  counts.bytes_read += size;
  if (reason === null) {
    counts.files_imported++;
    counts.bytes_imported += size;
    return [];
  }
  const note = noteOf(file, reason);
  countNote(report, note);
  return [note];
}

async function previewFiles(
  { source, lost, onProgress, deps }: Run,
  report: ImportReport,
  shares: ShareTally,
  onNotes?: OnNotes,
): Promise<void> {
  if (source.files === undefined) return;
  const refusalOf = deps.links.files.planRoom();
  for await (const portion of portionsOf(source.files(0), PREVIEWED, (file) => file, lost)) {
    const notes: Note[] = [];
    for (const file of portion) {
      const account = isProblem(file) ? undefined : shares.get(sourceKeyOf(undefined, file.code));
      const reason = isProblem(file)
        ? file.problem
        : account === undefined
          ? NO_SHARE
          : await refusalOf(account, file.size);
      notes.push(...count(report, file, reason));
    }
    keepNotes(report, notes);
    onNotes?.(notes);
    onProgress?.(report);
  }
}

/** The reason why the file can't be imported, or null if it was. */
async function importFile(run: Run, file: SourceFile): Promise<string | null> {
  const { row, deps } = run;
  const { files } = deps.links;
  const link = await deps.repository.linkOf(row.id, sourceKeyOf(undefined, file.code));
  const position = link === null ? null : await files.placeOf(row.id, link);
  if (position === null) return NO_SHARE;
  let written: Parameters<typeof reached>[1] | null = null;
  try {
    const refusal = await patiently(() =>
      files.add(position, row.id, file, async (db) => {
        written = await keepIn(
          run,
          db,
          { filePlace: file.position },
          async (report) => void count(report, file, null),
        );
      }),
    );
    if (refusal === null) reached(run, written!);
    return refusal;
  } catch (error) {
    // A storage that fails ends the import; this is the file that is read.
    if ((error as { syscall?: unknown }).syscall === undefined) throw error;
    return fileTrouble(error) ?? "It can't be read.";
  }
}

async function importFiles(run: Run): Promise<void> {
  const { row, source, lost } = run;
  if (source.files === undefined) return;
  row.report.stage = "files";
  row.report.total = 0;
  for await (const file of source.files(0)) if (!isProblem(file)) row.report.total += file.size;
  const slices = createTimeSlices(1);
  for await (const file of source.files(row.filePlace)) {
    if (slices.due()) await slices.rest();
    lost.throwIfAborted();
    const reason = isProblem(file) ? file.problem : await importFile(run, file);
    if (reason === null) continue;
    await writePortion(run, { filePlace: file.position }, async (_, report, notes) => {
      notes.push(...count(report, file, reason));
    });
  }
}
