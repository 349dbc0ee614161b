/** Test support: journals and links for click counting. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";
import type { Database } from "../platform/db/database.ts";
import { silentLogger } from "../lib/logger.ts";
import type { VisitDetails } from "./journal/details-record.ts";
import { createDetailsParser } from "./details/details.ts";
import { createDetailsRepository } from "./details/repository.ts";
import { countClicks } from "./flush/counts.ts";
import type { CalendarState } from "./rollups/calendar.ts";
import { createCalendars } from "./rollups/calendar.repository.ts";
import { createRollupsRepository } from "./rollups/repository.ts";
import { sumDetails } from "./rollups/sums.ts";
import { FIRST_RECORD, KIND_COUNT } from "./journal/format.ts";
import { createOverflow, createSegmentSupply } from "./journal/supply.ts";
import { type ClickBatch, createBatch, openSegmentReader } from "./journal/reader.ts";
import { listSegments } from "./journal/segment.ts";
import { createJournal } from "./journal/journal.ts";

/** Size of a segment for that many clicks. */
export const segmentOf = (clicks: number): number => FIRST_RECORD + Math.ceil((clicks * 16) / 4096) * 4096;

/** The details of a visitor who sends nothing. */
export const NO_DETAILS: VisitDetails = {
  referrer: null,
  utmSource: null,
  userAgent: null,
  address: "",
  language: null,
  campaign: null,
  rule: 0,
  visitor: 0,
};

/** A folder that is removed after the tests of the calling file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "waymark-clicks-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type JournalSetting = {
  dir: string;
  instance?: string;
  segmentBytes?: number;
  maxSegments?: number;
  overflow?: number;
  now?: () => number;
};

/** A started journal and its reports about segments. */
export async function openJournal(setting: JournalSetting) {
  const { dir, instance = crypto.randomUUID(), segmentBytes = segmentOf(1000), maxSegments = 100 } = setting;
  mkdirSync(dir, { recursive: true });
  const clock = { now: setting.now ?? (() => Date.now()) };
  const options = { dir, instance, segmentBytes, maxSegments, firstSequence: 0, existing: 0 };
  const supply = createSegmentSupply({ ...options, clock, logger: silentLogger });
  const opened: string[] = [];
  const sealed: string[] = [];
  let due = 0;
  const journal = createJournal({
    supply,
    overflow: createOverflow(setting.overflow ?? 100),
    clock,
    onOpened: ({ path }) => opened.push(path),
    onSealed: ({ path }) => sealed.push(path),
    onDue: () => (due += 1),
  });
  await journal.start();
  return { journal, supply, opened, sealed, due: () => due };
}

export type Click = [link: number, atMs: number];

/** Every click in the segments of a folder, as a successor finds them. */
export function readClicks(dir: string): Click[] {
  return listSegments(dir).flatMap((path) => readSegment(path));
}

export function readSegment(path: string, final = true): Click[] {
  const reader = openSegmentReader(path)!;
  const batch: ClickBatch = createBatch(1_000_000);
  reader.read(batch, FIRST_RECORD, final);
  reader.close();
  return Array.from(batch.links.subarray(0, batch.count), (link, at) => [link, batch.times[at]!]);
}

/** Makes links and returns their ids. */
export async function addLinks(database: Database, count: number): Promise<number[]> {
  const link = {
    target: "http://localhost/",
    created_at: 1,
    updated_at: 1,
    expires_at: null,
    password_hash: null,
  };
  return database.transaction(async (tx) => {
    const ids: number[] = [];
    for (let at = 0; at < count; at++) {
      const code = crypto.randomUUID();
      ids.push(await database.dialect.insertReturningId(tx, "links", { ...link, code }));
    }
    await database.dialect.insertMany(
      tx,
      "link_clicks",
      ids.map((link_id) => ({ link_id, clicks: 0, ranked: 0 })),
    );
    return ids;
  });
}

export const clicksOf = (database: Database, ids: readonly number[]): Promise<number[]> =>
  countsOf(database, ids, "clicks");

export const automatedOf = (database: Database, ids: readonly number[]): Promise<number[]> =>
  countsOf(database, ids, "automated");

async function countsOf(
  database: Database,
  ids: readonly number[],
  column: "clicks" | "automated",
): Promise<number[]> {
  const rows = await database.read
    .selectFrom("link_clicks")
    .selectAll()
    .where("link_id", "in", ids)
    .execute();
  const counts = new Map(rows.map((row) => [row.link_id, row[column]]));
  return ids.map((id) => counts.get(id) ?? Number.NaN);
}

export type CountedVisit = { linkId: number; at: number; referrer?: string | null };

/** Counts visits with their details as a flush does, without counts of links. */
export async function countVisits(database: Database, visits: readonly CountedVisit[]): Promise<void> {
  const details = createDetailsParser().parseVisits(
    visits.map(({ linkId, at, referrer = null }) => {
      const sent = { ...NO_DETAILS, referrer };
      return { linkId, atMs: at, isAutomated: false, sent, place: null };
    }),
  );
  const batch = createBatch(visits.length);
  batch.count = visits.length;
  for (const [index, { linkId, at }] of visits.entries()) {
    batch.links[index] = linkId;
    batch.times[index] = at;
    batch.kinds[index] = KIND_COUNT;
  }
  await database.transaction(async (tx) => {
    const calendar = await createCalendars(database).hold(tx);
    await createRollupsRepository(database).addClicks(tx, countClicks(batch, calendar));
    await createDetailsRepository(database).add(tx, details, sumDetails(details, calendar));
  });
}

/** The zones that the sums are in. */
export async function setZones(database: Database, zones: CalendarState["zones"]): Promise<void> {
  const calendars = createCalendars(database);
  await database.transaction(async (tx) => {
    await calendars.lock(tx);
    await calendars.store(tx, { zones, moving: null, exactFrom: 0, recount: null });
  });
}
