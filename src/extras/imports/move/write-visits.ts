/**
 * Writes a portion of visits into the sums and, where details are logged, into the click log, as the flush does. The
 * count of a link is what its source counted, or the number of its dated visits if that is more.
 */
import type { Database } from "../../../platform/db/database.ts";
import type { Db } from "../../../platform/db/dialect.ts";
import type { Detail, DetailsParser, KnownVisit } from "../../../clicks/details/details.ts";
import {
  createLogCapacity,
  createDetailDropsRepository,
  createDetailsRepository,
} from "../../../clicks/details/repository.ts";
import type { ClickPrivacy } from "../../../clicks/details/privacy.ts";
import { sumHours } from "../../../clicks/flush/counts.ts";
import { type BucketIncrements, sumDetails, type ValueIncrement } from "../../../clicks/rollups/sums.ts";
import { createRollupsRepository } from "../../../clicks/rollups/repository.ts";
import { type Calendar, UTC } from "../../../clicks/rollups/calendar.ts";
import { createCalendars } from "../../../clicks/rollups/calendar.repository.ts";
import { isAutomatedAgent } from "../../../lib/automated-visitors.ts";
import { isProblem, type SourceProblem, type SourceVisit } from "../readers/reader.ts";
import { sourceKeyOf } from "./link-rows.ts";
import { countNote, type ImportReport, type Note } from "./state.ts";
import {
  campaignsOfLinks,
  type ImportedLink,
  createVisitsRepository,
  NO_DIMENSION,
  PER_DAY,
  PER_HOUR,
} from "./visits.repository.ts";
import { AppError } from "../../../lib/errors.ts";
import { createAliasRepository } from "../../../links/write/rows.repository.ts";

export type VisitSettings = {
  /** Whether visits have details. */
  details: boolean;
  privacy: ClickPrivacy;
  /** Older visits have no row in the click log. */
  logFrom: number;
  /** The limit of the click log; 0: unlimited. */
  mostLogRows: number;
};

export type PreparedVisit = {
  position: number;
  sourceKey: string;
  code: string;
  visit: SourceVisit;
  isAutomated: boolean;
};

/** Short links were invented in 2002. */
const EARLIEST = Date.UTC(2000, 0, 1);
const MOST_COUNT = 1_000_000_000;

/** @param before visits from then on are our own */
export function prepareVisit(found: SourceVisit | SourceProblem, before: number): PreparedVisit | Note {
  const { position, code } = found;
  const refuse = (reason: string): Note => ({ position, kind: "visit", code: code.slice(0, 200), reason });
  if (isProblem(found)) return refuse(found.problem);
  const { at, count = 1, userAgent, automated } = found;
  if (!Number.isSafeInteger(at) || at < EARLIEST) return refuse("The time of the visit can't be read.");
  if (at >= before) return refuse("The visit is later than the import.");
  if (!Number.isSafeInteger(count) || count < 1 || count > MOST_COUNT)
    return refuse("The number of visits can't be read.");
  const isAutomated = automated ?? (userAgent ? isAutomatedAgent(userAgent) : false);
  return { position, code, sourceKey: sourceKeyOf(found.domain, code), visit: found, isAutomated };
}

const linklessVisit = ({ position, code }: Pick<PreparedVisit, "position" | "code">): Note => ({
  position,
  kind: "visit",
  code: code.slice(0, 200),
  reason: "Its link was not imported, or is gone.",
});

export type VisitPortion = readonly (PreparedVisit | Note)[];

/** What the source counted and its dated visits, by source key, for a preview. */
export type VisitTally = Map<string, { total: number; dated: number }>;

/** Counts visits as the import does. Returns notes of those that it would refuse. */
export function previewVisits(portion: VisitPortion, tally: VisitTally, report: ImportReport): Note[] {
  const { counts } = report;
  const notes: Note[] = [];
  for (const one of portion) {
    const count = "kind" in one ? 1 : (one.visit.count ?? 1);
    counts.visits_read += count;
    const link = "kind" in one ? undefined : tally.get(one.sourceKey);
    if (link === undefined) {
      const note = "kind" in one ? one : linklessVisit(one);
      countNote(report, note, count);
      notes.push(note);
      continue;
    }
    const undated = Math.min(count, Math.max(0, link.total - link.dated));
    link.dated += count;
    counts.visits_imported += count;
    counts.clicks_without_date -= undated;
    counts.clicks_imported += count - undated;
  }
  return notes;
}

type Counted = PreparedVisit & { linkId: number };

type Deps = {
  database: Database;
  parser: DetailsParser;
  /** @throws BadRequest for an unknown host */
  keyOf(code: string, host: string | undefined): string;
};

export function createVisitWriting({ database, parser, keyOf }: Deps) {
  const ownLinks = createOwnLinks({ database, keyOf });
  const repository = createVisitsRepository(database);
  const rollups = createRollupsRepository(database);
  const log = createDetailsRepository(database);
  const drops = createDetailDropsRepository(database);
  const capacity = createLogCapacity(database);
  const calendars = createCalendars(database);

  /** Writes the visits in the transaction and returns what to do after the commit. */
  async function write(
    tx: Db,
    given: VisitPortion,
    {
      id,
      report,
      notes,
      settings,
    }: { id: number; report: ImportReport; notes: Note[]; settings: VisitSettings },
  ): Promise<() => void> {
    const { portion, ids } = await ownLinks(tx, given);
    await repository.join(tx, id, ids);
    const prepared = portion.filter((one): one is PreparedVisit => !("kind" in one));
    const links = await repository.links(tx, id, [...new Set(prepared.map(({ sourceKey }) => sourceKey))]);
    const counted: Counted[] = [];
    const strangers = new Map<string, { position: number; count: number }>();
    for (const one of portion) {
      report.counts.visits_read += "kind" in one ? 1 : (one.visit.count ?? 1);
      if ("kind" in one) {
        countNote(report, one);
        notes.push(one);
        continue;
      }
      const link = links.get(one.sourceKey);
      if (link !== undefined) counted.push({ ...one, linkId: link.linkId });
      else {
        const known = strangers.get(one.code) ?? { position: one.position, count: 0 };
        strangers.set(one.code, { ...known, count: known.count + (one.visit.count ?? 1) });
      }
    }
    for (const [code, { position, count }] of strangers) {
      const note = linklessVisit({ position, code });
      countNote(report, note, count);
      notes.push(note);
    }
    if (counted.length === 0) return () => {};
    const changes = changesOf(counted, links);
    for (const { dated, added, before } of changes) {
      report.counts.visits_imported += dated - before;
      report.counts.clicks_imported += added;
      report.counts.clicks_without_date -= dated - before - added;
    }
    await repository.count(tx, id, changes);
    const calendar = await calendars.hold(tx);
    const sums = sumHours(hoursOf(counted, calendar), calendar);
    await rollups.addClicks(tx, sums);
    await repository.rememberHours(tx, id, sums.hours);
    return addDetails(tx, { id, counted, calendar }, settings);
  }

  async function addDetails(
    tx: Db,
    { id, counted, calendar }: { id: number; counted: readonly Counted[]; calendar: Calendar },
    settings: VisitSettings,
  ) {
    const detailed = settings.details ? counted.filter(({ visit }) => visit.count === undefined) : [];
    const campaigns = settings.privacy.campaigns
      ? await campaignsOfLinks(tx, [...new Set(detailed.map(({ linkId }) => linkId))])
      : new Map<number, string>();
    const details = parser.parseVisits(
      detailed.map((one) => knownVisit(one, settings.privacy, campaigns.get(one.linkId) ?? null)),
    );
    const recent = details.filter(({ atMs }) => atMs >= settings.logFrom);
    const isLimited = settings.mostLogRows > 0 && recent.length > 0;
    const room = isLimited ? await capacity.left(tx, settings.mostLogRows) : recent.length;
    const logged = recent.slice(0, room);
    const unlogged = unloggedOf(counted, logged);
    await repository.rememberValues(tx, id, PER_DAY, unlogged);
    const days = Map.groupBy(unlogged, ({ bucket }) => bucket);
    await drops.add(
      tx,
      [...days].map(([day, some]) => ({ day, reason: "imported", clicks: sumOf(some) })),
    );
    if (details.length === 0) return () => {};
    return log.add(tx, logged, sumDetails(details, calendar), async (bounded) => {
      await repository.rememberValues(tx, id, PER_DAY, bounded.days);
      await repository.rememberValues(tx, id, PER_HOUR, bounded.hours);
    });
  }

  return {
    write,
    /** Prepares a preview: visits of links that are here are in the tally. */
    async known(portion: VisitPortion, tally: VisitTally): Promise<VisitPortion> {
      const known = await ownLinks(database.read, portion);
      for (const id of known.ids) tally.getOrInsert(String(id), { total: 0, dated: 0 });
      return known.portion;
    },
  };
}

/** Visits without a row in the click log, by link and day. */
function unloggedOf(counted: readonly Counted[], logged: readonly Detail[]): ValueIncrement[] {
  const sums = new Map<string, ValueIncrement>();
  const add = (linkId: number, at: number, clicks: number) => {
    const bucket = UTC.day.of(at);
    const none = { linkId, bucket, dimension: NO_DIMENSION, valueId: 0, clicks: 0, automated: 0 };
    sums.getOrInsert(`${linkId} ${bucket}`, none).clicks += clicks;
  };
  for (const { linkId, visit } of counted) add(linkId, visit.at, visit.count ?? 1);
  for (const { linkId, atMs } of logged) add(linkId, atMs, -1);
  return [...sums.values()].filter(({ clicks }) => clicks > 0);
}

const sumOf = (some: readonly { clicks: number }[]) => some.reduce((sum, { clicks }) => sum + clicks, 0);

function changesOf(counted: readonly Counted[], links: ReadonlyMap<string, ImportedLink>) {
  const sums = new Map<string, { clicks: number; automated: number }>();
  for (const { sourceKey, visit, isAutomated } of counted) {
    const sum = sums.get(sourceKey) ?? { clicks: 0, automated: 0 };
    sum.clicks += visit.count ?? 1;
    if (isAutomated) sum.automated += visit.count ?? 1;
    sums.set(sourceKey, sum);
  }
  return [...sums].map(([sourceKey, sum]) => {
    const link = links.get(sourceKey)!;
    const dated = link.dated + sum.clicks;
    return {
      ...link,
      before: link.dated,
      dated,
      automated: link.automated + sum.automated,
      added: Math.max(link.total, dated) - Math.max(link.total, link.dated),
      addedAutomated: sum.automated,
    };
  });
}

function hoursOf(counted: readonly Counted[], calendar: Calendar): BucketIncrements[] {
  const hours = new Map<number, Map<number, { clicks: number; automated: number }>>();
  for (const { linkId, visit, isAutomated } of counted) {
    const ofHour = hours.getOrInsertComputed(calendar.hour.of(visit.at), () => new Map());
    const sum = ofHour.getOrInsertComputed(linkId, () => ({ clicks: 0, automated: 0 }));
    sum.clicks += visit.count ?? 1;
    if (isAutomated) sum.automated += visit.count ?? 1;
  }
  return [...hours]
    .sort(([a], [b]) => a - b)
    .map(([bucket, ofHour]) => {
      const links = [...ofHour].sort(([a], [b]) => a - b);
      return {
        bucket,
        links: links.map(([link]) => link),
        clicks: links.map(([, { clicks }]) => clicks),
        automated: links.map(([, { automated }]) => automated),
      };
    });
}

/** @param campaign of the link's target; the source knows no other */
function knownVisit(
  { linkId, visit, isAutomated }: Counted,
  privacy: ClickPrivacy,
  campaign: string | null,
): KnownVisit {
  const country = /^[A-Za-z]{2}$/.test(visit.country ?? "") ? visit.country!.toUpperCase() : null;
  return {
    linkId,
    atMs: visit.at,
    isAutomated,
    place: privacy.places && country !== null ? { country, city: visit.city ?? null } : null,
    sent: {
      referrer: (privacy.referrers && visit.referrer?.slice(0, 2_048)) || null,
      utmSource: null,
      userAgent: (privacy.agents && visit.userAgent?.slice(0, 1_024)) || null,
      address: privacy.addresses === "none" ? "" : (visit.address ?? ""),
      language: visit.language?.slice(0, 36) ?? null,
      campaign,
      rule: 0,
      visitor: 0,
    },
  };
}

type Visit = { code: string; sourceKey: string; visit: SourceVisit };

const isOurs = <V extends Visit>(one: V | Note): one is V => !("kind" in one) && one.visit.isOurs === true;

/** Finds links that are here already for the clicks that a successor counted: by today's codes, aliases included. */
function createOwnLinks({ database, keyOf }: Pick<Deps, "database" | "keyOf">) {
  const repository = createVisitsRepository(database);
  const aliases = createAliasRepository(database);

  function keyIn({ code, visit }: Visit): string {
    try {
      return keyOf(code, visit.domain);
    } catch (error) {
      if (error instanceof AppError) return "";
      throw error;
    }
  }

  /** Names each visit by the id of its link, so that two codes of one link are one. Unknown ones stay as they are. */
  return async function named<V extends Visit>(
    db: Db,
    portion: readonly (V | Note)[],
  ): Promise<{ portion: readonly (V | Note)[]; ids: number[] }> {
    const keys = new Map(portion.filter(isOurs).map((one) => [one, keyIn(one)]));
    const uniqueKeys = [...new Set(keys.values())];
    if (uniqueKeys.length === 0) return { portion, ids: [] };
    const ids = new Map([
      ...(await aliases.among(uniqueKeys, db)),
      ...(await repository.idsOf(db, uniqueKeys)),
    ]);
    return {
      ids: [...new Set(ids.values())],
      portion: portion.map((one) => {
        const id = isOurs(one) ? ids.get(keys.get(one)!) : undefined;
        return id === undefined ? one : { ...one, sourceKey: String(id) };
      }),
    };
  };
}
