/**
 * Reads a source and writes it in portions, each in a transaction with the place that it reached: after any kill the
 * import continues there, and can be undone. All of it is one event.
 */
import type { Db } from "../../db/dialect.ts";
import { isRetryable, isUniqueViolation } from "../../db/failures.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { EventRecord } from "../../lib/event.ts";
import { createTimeSlices } from "../../lib/time-slices.ts";
import type { CodeRule } from "../../links/link/code.ts";
import { type LinkChanges, writeAgain } from "../../links/write/changes.ts";
import { PRODUCTS } from "../readers/products.ts";
import type { Source } from "../readers/reader.ts";
import { bringsVisits, claimOrigin, refuseTwice } from "./origin.ts";
import { prepareLink } from "./link-rows.ts";
import { createNewDomains, type MoveDomains } from "./new-domains.ts";
import type { ImportRepository, StoredImport } from "./repository.ts";
import { copyOf, emptyReport, type ImportReport, keepNotes, type Note } from "./state.ts";
import {
  completeLinks,
  decideLinks,
  type LinkPortion,
  type LinkWriting,
  writeNewLinks,
} from "./write-links.ts";
import {
  type createVisitWriting,
  previewVisits,
  prepareVisit,
  type VisitPortion,
  type VisitSettings,
  type VisitTally,
} from "./write-visits.ts";

export type RunDeps = {
  repository: ImportRepository;
  changes: Pick<LinkChanges, "write">;
  /** Adds the event, or replaces the one with that id. Returns its id. */
  keepEvent(db: Db, event: EventRecord, id: number | null): Promise<number>;
  links: LinkWriting;
  visits: ReturnType<typeof createVisitWriting>;
  settings(): VisitSettings;
  rule: CodeRule;
  domains: MoveDomains;
  clock: Clock;
};

export type OnProgress = (report: ImportReport) => void;

type OnNotes = (notes: readonly Note[]) => void;

type Run = {
  deps: RunDeps;
  row: StoredImport;
  source: Source;
  actor: Pick<Actor, "name" | "ownOnly">;
  lost: AbortSignal;
  onProgress?: OnProgress | undefined;
};

const PORTION = 500;
const VISITS = 1_000;
/** Stored; the report counts all. */
const MOST_NOTES = 1_000_000;
const RETRY_MS = 1_000;
const REST_MS = 5;

/** Of links, one after the other. */
/** `report`: the present one; each portion is written with a copy. */
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

/** Portions of prepared records. Yields to the event loop. */
async function* portionsOf<T, P>(
  records: AsyncIterable<T>,
  size: number,
  prepare: (record: T) => P | Promise<P>,
  lost: AbortSignal,
) {
  const slices = createTimeSlices(1);
  let portion: P[] = [];
  for await (const record of records) {
    if (slices.due()) await slices.rest();
    lost.throwIfAborted();
    portion.push(await prepare(record));
    if (portion.length < size) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

const eventOf = (
  { id, product, source, createdAt }: StoredImport,
  actor: Pick<Actor, "name">,
  report: ImportReport,
): EventRecord => ({
  at: createdAt,
  actor: { name: actor.name, via: "import" },
  action: "links.import",
  subject: product,
  after: { import_id: id, source, ...report.counts },
});

/** Locked, with the place that it is to have. @throws Conflict */
async function lockAt(
  tx: Db,
  { row: { id, linkPlace, visitPlace }, deps: { repository } }: Run,
): Promise<StoredImport> {
  const row = await repository.lock(tx, id);
  if (row.state === "running" && row.linkPlace === linkPlace && row.visitPlace === visitPlace) return row;
  throw appError("Conflict", "The import was ended, or another process goes on with it.");
}

async function writePortion(
  run: Run,
  place: Partial<Pick<StoredImport, "linkPlace" | "visitPlace">>,
  work: (
    tx: Parameters<Parameters<LinkChanges["write"]>[0]>[0],
    report: ImportReport,
    notes: Note[],
  ) => Promise<void>,
): Promise<void> {
  const { row, actor, deps } = run;
  const { repository, clock } = deps;
  const written = await writeAgain(
    () =>
      deps.changes.write(async (tx) => {
        const { eventId } = await lockAt(tx.db, run);
        const report = copyOf(row.report);
        const notes: Note[] = [];
        await work(tx, report, notes);
        const told = row.report.reasons.reduce((sum, { count }) => sum + count, 0);
        await repository.addNotes(tx.db, row.id, notes.slice(0, Math.max(0, MOST_NOTES - told)));
        const kept = await deps.keepEvent(tx.db, eventOf(row, actor, report), eventId);
        await repository.update(tx.db, row.id, { ...place, report, eventId: kept }, clock.now());
        return { report, eventId: kept };
      }),
    async (error, runs) => {
      if (!isRetryable(error)) return isUniqueViolation(error);
      await Bun.sleep(runs * RETRY_MS * (1 + Math.random()));
      return true;
    },
  );
  Object.assign(row, place, written);
  run.onProgress?.(row.report);
}

async function bringLinks(run: Run): Promise<void> {
  const { row, source, actor, lost, deps } = run;
  row.report.stage = "links";
  row.report.total = source.size.links ?? null;
  const prepare = preparing(run, () => row.report, false);
  for await (const portion of portionsOf(source.links(row.linkPlace), PORTION, prepare, lost)) {
    await completeLinks(deps.links, portion, { isPreview: false, seen: new Set() });
    const now = deps.clock.now();
    await writePortion(run, { linkPlace: portion.at(-1)!.place }, async (tx, report, notes) => {
      const context = { options: row.options, actor, now };
      const brought = await decideLinks(deps.links, portion, context, {
        seen: new Set(),
        report,
        notes,
        db: tx.db,
      });
      await writeNewLinks(deps.links, tx, brought, { ...context, id: row.id }, report);
    });
    await Bun.sleep(REST_MS);
  }
}

async function bringVisits(run: Run): Promise<void> {
  const { row, source, lost, deps } = run;
  if (source.visits === undefined) return;
  row.report.stage = "visits";
  row.report.total = source.size.visits ?? null;
  const prepare = (one: Parameters<typeof prepareVisit>[0]) => prepareVisit(one, row.createdAt);
  for await (const portion of portionsOf(source.visits(row.visitPlace), VISITS, prepare, lost)) {
    let remember = () => {};
    await writePortion(run, { visitPlace: portion.at(-1)!.place }, async (tx, report, notes) => {
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

async function previewLinks(run: Run, report: ImportReport, onNotes?: OnNotes): Promise<VisitTally> {
  const tally: VisitTally = new Map();
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
      report.counts.clicks_brought += total;
      if (row.options.visits && !tally.has(sourceKey)) tally.set(sourceKey, { total, dated: 0 });
    }
    keepNotes(report, notes);
    onNotes?.(notes);
    onProgress?.(report);
  }
  report.counts.clicks_undated = report.counts.clicks_brought;
  return tally;
}

/** What an import would do. Writes nothing. `onNotes`: every note, while the report has the first 1,000. */
async function preview(run: Run, onNotes?: OnNotes): Promise<ImportReport> {
  const { source, lost, deps } = run;
  const report = {
    ...emptyReport(),
    stage: "preview" as const,
    columns: source.columns ?? [],
    total: source.size.links ?? null,
  };
  await refuseTwice(run.row, source, deps.repository);
  const tally = await previewLinks(run, report, onNotes);
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
  const { row, lost, deps } = run;
  const { repository, clock } = deps;
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
  await claimOrigin(row, run.source, repository, () => writePortion(run, { linkPlace: 1 }, async () => {}));
  await bringLinks(run);
  if (bringsVisits(row, run.source)) await bringVisits(run);
  lost.throwIfAborted();
  row.report.stage = null;
  await deps.changes.write(async (tx) => {
    await lockAt(tx.db, run);
    await repository.update(tx.db, row.id, { state: "done", report: row.report, secret: null }, clock.now());
  });
}

export const createRuns = (deps: RunDeps) => ({
  preview: (run: Omit<Run, "deps">, onNotes?: OnNotes) => preview({ ...run, deps }, onNotes),
  bring: (run: Omit<Run, "deps">) => bring({ ...run, deps }),
});
