/** A run over a source, and its portions: each in a transaction with the position that it reached. */
import type { Db } from "../../../platform/db/dialect.ts";
import { isRetryable, isUniqueViolation } from "../../../platform/db/failures.ts";
import type { Actor } from "../../../lib/actor.ts";
import type { Clock } from "../../../lib/clock.ts";
import { appError } from "../../../lib/errors.ts";
import type { EventRecord } from "../../../lib/event.ts";
import { createTimeSlices } from "../../../lib/time-slices.ts";
import type { CodeRule } from "../../../links/link/code.ts";
import { type LinkChanges, writeAgain } from "../../../links/write/changes.ts";
import type { ChangeTransaction } from "../../../platform/cluster/changes.ts";
import type { Source } from "../readers/reader.ts";
import type { MoveDomains } from "./new-domains.ts";
import type { ImportRepository, StoredImport } from "./repository.ts";
import type { ImportReport, Note } from "./state.ts";
import type { LinkWriting } from "./write-links.ts";
import type { createVisitWriting, VisitSettings } from "./write-visits.ts";

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

export type OnNotes = (notes: readonly Note[]) => void;

export type Run = {
  deps: RunDeps;
  row: StoredImport;
  source: Source;
  actor: Pick<Actor, "name" | "ownOnly">;
  lost: AbortSignal;
  onProgress?: OnProgress | undefined;
};

const PLACES = ["linkPlace", "visitPlace", "filePlace"] as const;
type Place = Partial<Pick<StoredImport, (typeof PLACES)[number]>>;
type Written = Place & Pick<StoredImport, "report" | "eventId">;

/** Stored; the report counts all. */
const MOST_NOTES = 1_000_000;
const RETRY_MS = 1_000;

/** Portions of prepared records. Yields to the event loop. */
export async function* portionsOf<T, P>(
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

/** Locked, with the places that it is to have. @throws Conflict */
async function lockAt(tx: Db, { row, deps: { repository } }: Run): Promise<StoredImport> {
  const now = await repository.lock(tx, row.id);
  const isThere = PLACES.every((position) => now[position] === row[position]);
  if (now.state === "running" && isThere) return now;
  throw appError("Conflict", "The import was ended, or another process goes on with it.");
}

/** Does the work in a transaction, with its notes and the position that it reached. */
export async function keepIn(
  run: Run,
  db: Db,
  position: Place,
  work: (report: ImportReport, notes: Note[]) => Promise<void>,
): Promise<Written> {
  const { row, actor, deps } = run;
  const { repository, clock } = deps;
  const { eventId } = await lockAt(db, run);
  const report = structuredClone(row.report);
  const notes: Note[] = [];
  await work(report, notes);
  const noted = row.report.reasons.reduce((sum, { count }) => sum + count, 0);
  await repository.addNotes(db, row.id, notes.slice(0, Math.max(0, MOST_NOTES - noted)));
  const kept = await deps.keepEvent(db, eventOf(row, actor, report), eventId);
  await repository.update(db, row.id, { ...position, report, eventId: kept }, clock.now());
  return { ...position, report, eventId: kept };
}

/** Again, with rests, where that may help. */
export const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  writeAgain(work, async (error, runs) => {
    if (!isRetryable(error)) return isUniqueViolation(error);
    await Bun.sleep(runs * RETRY_MS * (1 + Math.random()));
    return true;
  });

/** After the commit. */
export function reached(run: Run, written: Written): void {
  Object.assign(run.row, written);
  run.onProgress?.(run.row.report);
}

export async function writePortion(
  run: Run,
  position: Place,
  work: (tx: ChangeTransaction, report: ImportReport, notes: Note[]) => Promise<void>,
): Promise<void> {
  const write = (tx: ChangeTransaction) =>
    keepIn(run, tx.db, position, (report, notes) => work(tx, report, notes));
  reached(run, await patiently(() => run.deps.changes.write(write)));
}

/** No other process has moved it since. @throws Conflict */
export const endRun = (run: Run): Promise<void> =>
  run.deps.changes.write(async (tx) => {
    const { row, deps } = run;
    await lockAt(tx.db, run);
    const ended = { state: "done", report: row.report, secret: null } as const;
    await deps.repository.update(tx.db, row.id, ended, deps.clock.now());
  });
