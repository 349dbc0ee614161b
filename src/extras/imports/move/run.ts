/**
 * Reads a source and writes it in portions, each in a transaction with the position that it reached: after any kill the
 * import continues there, and can be undone. All of it is one event.
 */
import { appError } from "../../../lib/errors.ts";
import { PRODUCTS } from "../readers/products.ts";
import { bringFiles, previewFiles, type ShareTally } from "./files.ts";
import { bringsVisits, claimOrigin, refuseTwice } from "./origin.ts";
import { prepareLink } from "./link-rows.ts";
import { createNewDomains } from "./new-domains.ts";
import { type OnNotes, portionsOf, type Run, type RunDeps, endRun, writePortion } from "./portions.ts";
import { emptyReport, type ImportReport, keepNotes, type Note } from "./state.ts";
import { completeLinks, decideLinks, type LinkPortion, writeNewLinks } from "./write-links.ts";
import { previewVisits, prepareVisit, type VisitPortion, type VisitTally } from "./write-visits.ts";

const PORTION = 500;
const VISITS = 1_000;
const REST_MS = 5;

/** Of links, one after the other. `report`: the present one; each portion is written with a copy. */
function preparing({ row, deps }: Run, report: () => ImportReport, isPreview: boolean) {
  const { title } = PRODUCTS[row.product];
  const { rule, domains, clock } = deps;
  const { admit, keyOf } = createNewDomains(domains, row, { report, isPreview });
  const { disabled } = row.options;
  const rules = { rule, keyOf, now: clock.now(), disabled, title, isGuarded: row.product === "csv" };
  return async (found: Parameters<typeof prepareLink>[0]) => {
    await admit(found);
    return prepareLink(found, rules);
  };
}

async function bringLinks(run: Run): Promise<void> {
  const { row, source, actor, lost, deps } = run;
  row.report.stage = "links";
  row.report.total = source.size?.links ?? null;
  const prepare = preparing(run, () => row.report, false);
  for await (const portion of portionsOf(source.links(row.linkPlace), PORTION, prepare, lost)) {
    await completeLinks(deps.links, portion, { isPreview: false, seen: new Set() });
    const now = deps.clock.now();
    await writePortion(run, { linkPlace: portion.at(-1)!.position }, async (tx, report, notes) => {
      const context = { options: row.options, actor, now };
      const brought = await decideLinks(deps.links, portion, context, {
        seen: new Set(),
        report,
        notes,
        db: tx.db,
      });
      await writeNewLinks(deps.links, tx, brought, { ...row, ...context }, report);
    });
    await Bun.sleep(REST_MS);
  }
}

async function bringVisits(run: Run): Promise<void> {
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
    const brought = await decideLinks(
      deps.links,
      portion,
      { options: row.options, actor, now: deps.clock.now() },
      { seen, report, notes },
    );
    for (const { link, sourceKey } of brought.values()) {
      const total = link.clickCount ?? 0;
      report.counts.clicks_imported += total;
      if (row.options.visits && !tally.has(sourceKey)) tally.set(sourceKey, { total, dated: 0 });
    }
    const shared = [...brought.values()].filter(({ share }) => share !== null);
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
  if (!bringsVisits(run.row, source) || source.visits === undefined) return report;
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
async function bring(run: Run): Promise<void> {
  const { row, lost } = run;
  if (row.options.on_conflict === "fail" && row.linkPlace === 0) {
    const { counts } = await preview({
      ...run,
      row: { ...row, options: { ...row.options, visits: false } },
    });
    if (counts.links_skipped > 0) {
      throw appError(
        "Conflict",
        `${counts.links_skipped} of the codes are taken. Nothing was brought; the preview lists them.`,
      );
    }
  }
  await claimOrigin(row, run.source, run.deps.repository, () =>
    writePortion(run, { linkPlace: 1 }, async () => {}),
  );
  await bringLinks(run);
  if (bringsVisits(row, run.source)) await bringVisits(run);
  await bringFiles(run);
  lost.throwIfAborted();
  row.report.stage = null;
  await endRun(run);
}

export const createRuns = (deps: RunDeps) => ({
  preview: (run: Omit<Run, "deps">, onNotes?: OnNotes) => preview({ ...run, deps }, onNotes),
  bring: (run: Omit<Run, "deps">) => bring({ ...run, deps }),
});
