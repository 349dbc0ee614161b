/**
 * One segment on its way into the database (flush.ts).
 *
 * A source is `final` when its writer sealed it or crashed. Once it is fully counted, the file goes, durably, then the
 * row: the other order could count the file again.
 *
 * A dead process's source without a row was never counted, unless its row was pruned for age. One too old to tell, one
 * of another database and a file that is no segment move to `quarantine/` beside the slots.
 */
import { existsSync } from "node:fs";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ClicksRepository, ClickSums, CountedSpan, FlushWork } from "./repository.ts";
import { countRefusals, NO_REFUSALS, refusedByDay, type DetailOutcomes } from "../details/gate.ts";
import type { Calendar } from "../rollups/calendar.ts";
import { sumDetails } from "../rollups/sums.ts";
import type { Detail, DetailsParser } from "../details/details.ts";
import { countClicks } from "./counts.ts";
import { fitBatch } from "./schedule.ts";
import { quarantineSegment, removeSegment } from "../journal/segment.ts";
import { FIRST_RECORD, REFUSALS } from "../journal/format.ts";
import { type ClickBatch, openSegmentReader, type SegmentReader } from "../journal/reader.ts";

export type SourceState = {
  path: string;
  final: boolean;
  /**
   * This process's books include the segment up to here. Null for a dead process's segment, which enters the books when
   * counted.
   */
  position: number | null;
};

/** Clicks of one segment that left the journal. */
export type SettledClicks = {
  path: string;
  position: number;
  stored: number;
  /** Clicks of removed links. */
  deleted: number;
  /** Automated visitors' part of both. */
  automated: { stored: number; deleted: number };
  details: DetailOutcomes;
  replayed: boolean;
};

export type SegmentSource = {
  readonly path: string;
  readonly replayed: boolean;
  final: boolean;
  position: number | null;
  /** The position in the database; null without a row, undefined if unknown. */
  row: number | null | undefined;
  /** A transaction with unknown outcome. */
  doubt: Span | null;
  onRetired(): void;
};

export type DrainContext = {
  repository: ClicksRepository;
  /** UUID of this database. */
  instance: string;
  journalDir: string;
  clock: Clock;
  logger: Logger;
  onSettled(settled: SettledClicks): void;
  parser: DetailsParser;
  /** See FlushWork. */
  mostLogRows(): number;
  batch: ClickBatch;
  /** Runs between two transactions with the time of the first. */
  rest(tookMs: number): Promise<void>;
  /** Accumulates. */
  done: { clicks: number; links: number };
};

type Span = CountedSpan & { clicks: number; automated: number };

/** Rows of `journals` stay for thirty days. Five days allow for clock differences. */
const ROW_SURELY_KEPT_MS = 25 * 24 * 3600_000;
const MAX_ATTEMPTS = 5;
/** A flush must end even if details arrive faster than they are written. */
const MOST_DETAILS = 50_000;

export const createSource = (state: SourceState, onRetired: () => void): SegmentSource => ({
  ...state,
  replayed: state.position === null,
  row: undefined,
  doubt: null,
  onRetired,
});

/** True if the segment is gone. */
export async function drainSource(source: SegmentSource, context: DrainContext): Promise<boolean> {
  const reader = open(source);
  if (reader === "missing") {
    context.logger.error({ path: source.path }, "a click journal disappeared; its uncounted clicks are lost");
    source.onRetired();
    return true;
  }
  if (reader === null) return setAside(source, context, "its disk failed, or another version wrote it");
  try {
    if (reader.header.instance !== context.instance) {
      return await setAside(source, context, "its clicks belong to another database");
    }
    if (source.row === undefined) await learnPosition(source, reader, context);
    if (isTooOld(source, reader, context)) {
      return await setAside(source, context, "it is too old to know which clicks were counted");
    }
    await countAll(source, reader, context);
    const done = source.final && source.position! >= reader.header.bytes;
    if (done) {
      const { missingBytes } = reader;
      if (missingBytes > 0)
        context.logger.error(
          { path: source.path, missingBytes },
          "a click journal was cut off; its last clicks may be lost",
        );
      await retire(source, reader.header.uuid, context);
    }
    return done;
  } finally {
    reader.close();
  }
}

function open({ path }: SegmentSource): SegmentReader | null | "missing" {
  try {
    return openSegmentReader(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "missing";
    throw error;
  }
}

/** Reads the position, and books what others counted. */
async function learnPosition(
  source: SegmentSource,
  reader: SegmentReader,
  context: DrainContext,
): Promise<void> {
  const row = await context.repository.readPosition(reader.header.uuid);
  const doubt = source.doubt;
  source.row = row;
  source.doubt = null;
  source.position ??= row ?? FIRST_RECORD;
  if (row === null || row <= source.position) return;
  if (doubt?.to === row) return settle(source, row, doubt, context);
  const found = clicksBetween(source.position, row, reader, context.batch);
  // Counted by another process: the outcome of the details is unknown.
  const details = outcomesOf({ logged: found.detailed, refused: found.refused });
  const { clicks, automated } = found;
  settle(source, row, { clicks, automated, deleted: 0, deletedAutomated: 0, details }, context);
}

function clicksBetween(from: number, to: number, reader: SegmentReader, batch: ClickBatch) {
  const found = { clicks: 0, automated: 0, detailed: 0, refused: { ...NO_REFUSALS } };
  for (let position = from; position < to; ) {
    ({ position } = reader.read(batch, position, true, to));
    found.clicks += batch.count;
    found.automated += batch.automated;
    found.detailed += batch.detailed;
    const refused = countRefusals(batch);
    for (const reason of REFUSALS) found.refused[reason] += refused[reason];
  }
  return found;
}

const outcomesOf = (known: Partial<DetailOutcomes>): DetailOutcomes => ({
  logged: 0,
  stopped: 0,
  deleted: 0,
  refused: NO_REFUSALS,
  ...known,
});

type Counted = Pick<Span, "clicks" | "automated" | "deleted" | "deletedAutomated" | "details">;

function settle(
  source: SegmentSource,
  position: number,
  counted: Counted,
  { onSettled }: DrainContext,
): void {
  source.position = position;
  const { path, replayed } = source;
  const { clicks, deleted, deletedAutomated, details } = counted;
  const automated = { stored: counted.automated - deletedAutomated, deleted: deletedAutomated };
  onSettled({ path, position, stored: clicks - deleted, deleted, automated, details, replayed });
}

function isTooOld(source: SegmentSource, reader: SegmentReader, { batch, clock }: DrainContext): boolean {
  if (!source.replayed || source.row !== null || source.position !== FIRST_RECORD) return false;
  reader.read(batch, FIRST_RECORD, true);
  return batch.count > 0 && batch.times[0]! < clock.now() - ROW_SURELY_KEPT_MS;
}

async function countAll(source: SegmentSource, reader: SegmentReader, context: DrainContext): Promise<void> {
  const { batch, done, logger } = context;
  let detailed = 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const startedAt = performance.now();
    // If it is sealed meanwhile, the next flush continues.
    const { final } = source;
    const from = source.position!;
    const { position: to, damagedPages } = reader.read(batch, from, final);
    if (damagedPages > 0)
      logger.warn({ path: source.path, from, damagedPages }, "clicks in a journal were cut off");
    const { count: clicks, automated, isFull } = batch;
    if (clicks === 0) {
      source.position = to;
      return;
    }
    detailed += batch.detailed;
    const work = await workOf(context);
    const span = {
      segment: reader.header.uuid,
      from: source.row!,
      to,
      atMs: context.clock.now(),
      deleted: 0,
      deletedAutomated: 0,
      details: outcomesOf({ refused: countRefusals(batch) }),
      clicks,
      automated,
      exists: () => existsSync(source.path),
    };
    if (!(await countSpan(source, span, work, context))) {
      await learnPosition(source, reader, context);
      continue;
    }
    settle(source, to, span, context);
    done.clicks += clicks;
    const links = work.sums.counts.links.links.length;
    done.links += links;
    fitBatch(batch, links);
    if (!final && (!isFull || detailed >= MOST_DETAILS)) return;
    attempt = -1;
    await context.rest(performance.now() - startedAt);
  }
  throw appError("Conflict", `${source.path} is still being counted by another process`);
}

const sumIn = (calendar: Calendar, batch: ClickBatch, details: readonly Detail[]): ClickSums => ({
  calendar,
  counts: countClicks(batch, calendar),
  details: sumDetails(details, calendar),
});

/** Everything that needs no transaction. */
async function workOf({ batch, parser, mostLogRows, repository }: DrainContext): Promise<FlushWork> {
  const details = await parser.parse(batch);
  return {
    sums: sumIn(repository.calendar(), batch, details),
    sumIn: (calendar) => sumIn(calendar, batch, details),
    details,
    mostLogRows: mostLogRows(),
    refused: (gone) => refusedByDay(batch, gone),
  };
}

/** False if the position in the database differs. */
async function countSpan(
  source: SegmentSource,
  span: Span,
  work: FlushWork,
  context: DrainContext,
): Promise<boolean> {
  // While the outcome is unknown, so is the row.
  source.row = undefined;
  source.doubt = span;
  const moved = await context.repository.count(span, work);
  source.doubt = null;
  if (moved) source.row = span.to;
  return moved;
}

async function retire(
  source: SegmentSource,
  segment: string,
  { repository, logger }: DrainContext,
): Promise<void> {
  await removeSegment(source.path);
  source.onRetired();
  if (source.row === null) return;
  // A left-over row is harmless and pruned later.
  await repository
    .forget(segment)
    .catch((error) => logger.debug({ segment, err: error }, "journal row kept"));
}

async function setAside(
  source: SegmentSource,
  { logger, journalDir }: DrainContext,
  reason: string,
): Promise<boolean> {
  const kept = await quarantineSegment(source.path, journalDir);
  logger.warn({ path: source.path, kept }, `a click journal was set aside and not counted: ${reason}`);
  source.onRetired();
  return true;
}
