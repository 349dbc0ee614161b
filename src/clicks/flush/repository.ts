import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import {
  createDetailDropsRepository,
  createDetailsRepository,
  createLogCapacity,
} from "../details/repository.ts";
import { type DropCount, stoppedByDay, type DetailOutcomes } from "../details/gate.ts";
import type { Detail } from "../details/details.ts";
import { type DetailSums, sumDetails, type ClickCounts, totalOf, type LinkCounts } from "../rollups/sums.ts";
import { withoutLinks } from "./counts.ts";
import { FIRST_RECORD } from "../journal/format.ts";
import { type Calendar, UTC } from "../rollups/calendar.ts";
import { createCalendars } from "../rollups/calendar.repository.ts";
import { createRollupsRepository } from "../rollups/repository.ts";
import { createVisitorSums } from "../rollups/visitors.repository.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { chunked } from "../../lib/chunked.ts";

/** Clicks by hour, day and month, with their values. */
export type ClickSums = { calendar: Calendar; counts: ClickCounts; details: DetailSums };

export type FlushWork = {
  /** In the calendar of the last flush. */
  sums: ClickSums;
  sumIn(calendar: Calendar): ClickSums;
  details: readonly Detail[];
  /** analytics.max_log_rows with `stop`: no details are written beyond; 0: unlimited. */
  mostLogRows: number;
  /** Without those of removed links. */
  refused(gone: ReadonlySet<number>): DropCount[];
};

/** A range of one segment, counted in one transaction. */
export type CountedSpan = {
  segment: string;
  /** Position in the database; null without a row. */
  from: number | null;
  to: number;
  atMs: number;
  /** Set by count() before it commits. */
  deleted: number;
  deletedAutomated: number;
  /** Likewise, without refused ones. */
  details: DetailOutcomes;
  /** False if another process counted and removed the segment. Called when its row is made. */
  exists(): boolean;
};

export type ClicksRepository = ReturnType<typeof createClicksRepository>;

const CHUNK = 1000;

export function createClicksRepository(database: Database) {
  const { read, write, dialect, transaction } = database;
  const linkCounts = createLinkCounts(database);
  const rollups = createRollupsRepository(database);
  const log = createDetailsRepository(database);
  const drops = createDetailDropsRepository(database);
  const logCapacity = createLogCapacity(database);
  const calendars = createCalendars(database);
  let calendar = UTC;
  const visitors = createVisitorSums(database);

  /** False unless the position is the span's start. */
  async function move(tx: Db, { segment, from, to, atMs, exists }: CountedSpan): Promise<boolean> {
    // Position first: two flushes of one segment meet here.
    if (from === null) {
      const row = { id: segment, position: FIRST_RECORD, updated_at: atMs };
      await dialect.insertIgnore(tx, "journals", ["id"], [row]);
      // Files go before rows: if the row was just removed, the file is gone.
      if (!exists()) throw appError("Conflict", `segment ${segment} was counted by another process`);
    }
    const moved = await tx
      .updateTable("journals")
      .set({ position: to, updated_at: atMs })
      .where("id", "=", segment)
      .where("position", "=", from ?? FIRST_RECORD)
      .executeTakeFirst();
    return Number(moved.numUpdatedRows) === 1;
  }

  /** Returns what to do after the commit. */
  async function add(tx: Db, span: CountedSpan, work: FlushWork, isCareful: boolean): Promise<() => void> {
    const sums = work.sums.calendar === calendar ? work.sums : work.sumIn(calendar);
    const { links } = sums.counts;
    const gone = isCareful ? await linkCounts.addToEither(tx, links) : await linkCounts.add(tx, links);
    const counts = gone.size === 0 ? sums.counts : withoutLinks(sums.counts, gone);
    span.deleted = totalOf(links.clicks) - totalOf(counts.links.clicks);
    span.deletedAutomated = totalOf(links.automated) - totalOf(counts.links.automated);
    await rollups.addClicks(tx, counts);
    const present = gone.size === 0 ? work.details : work.details.filter(({ linkId }) => !gone.has(linkId));
    const limited = work.mostLogRows > 0 && present.length > 0;
    const room = limited ? await logCapacity.left(tx, work.mostLogRows) : present.length;
    const kept = room < present.length ? present.slice(0, room) : present;
    await drops.add(tx, [...work.refused(gone), ...stoppedByDay(present.slice(kept.length))]);
    span.details = {
      ...span.details,
      logged: kept.length,
      stopped: present.length - kept.length,
      deleted: work.details.length - present.length,
    };
    if (kept.length === 0) return () => {};
    await visitors.add(tx, kept, { calendar, now: span.atMs });
    const isWhole = kept.length === work.details.length;
    return log.add(tx, kept, isWhole ? sums.details : sumDetails(kept, calendar));
  }

  return {
    /** The position of a segment, or null without a row. */
    async readPosition(segment: string): Promise<number | null> {
      const row = await read
        .selectFrom("journals")
        .select("position")
        .where("id", "=", segment)
        .executeTakeFirst();
      return row?.position ?? null;
    },

    /**
     * Adds counts and details and moves the position from `from` to `to` in one transaction. False, without a change, if
     * the position is not `from`. Clicks of a deleted link count for its code. Sets `span.deleted` (clicks of unknown
     * links, which count nowhere) and `span.details`. After a rejection read the position: all or nothing happened.
     */
    async count(span: CountedSpan, work: FlushWork): Promise<boolean> {
      if (work.mostLogRows > 0 && work.details.length > 0)
        await logCapacity.refresh(work.mostLogRows, span.atMs);
      const attempt = (isCareful: boolean) =>
        transaction(async (tx) => {
          calendar = await calendars.hold(tx);
          return (await move(tx, span)) ? add(tx, span, work, isCareful) : null;
        });
      const remember = await attempt(false).catch((error: unknown) => {
        if (error instanceof LinkMoved) return attempt(true);
        throw error;
      });
      remember?.();
      return remember !== null;
    },

    /** That of the last flush. */
    calendar: (): Calendar => calendar,

    /** Call it when the segment's file is gone. */
    async forget(segment: string): Promise<void> {
      await write.deleteFrom("journals").where("id", "=", segment).execute();
    },

    /** At most 1,000 rows, not touched since then. */
    async forgetBefore(atMs: number): Promise<void> {
      const rows = await read
        .selectFrom("journals")
        .select("id")
        .where("updated_at", "<", atMs)
        .limit(CHUNK)
        .execute();
      const ids = rows.map((row) => row.id);
      if (ids.length === 0) return;
      await write.deleteFrom("journals").where("id", "in", ids).where("updated_at", "<", atMs).execute();
    },

    /** UUID of this database. */
    async instance(): Promise<string> {
      const row = await read
        .selectFrom("instance")
        .select("uuid")
        .where("id", "=", 1)
        .executeTakeFirstOrThrow();
      return row.uuid;
    },
  };
}

/** A link was put back while its clicks were added. Roll back, then take `addToEither`. */
class LinkMoved extends Error {}

type Table = "link_clicks" | "deleted_links";

const MOST_LOOKS = 50;
const NONE: ReadonlySet<number> = new Set();

/**
 * Adds clicks to their links, or to deleted links, which may be put back. A link is in one of the two tables; writers
 * move it while its row is locked (links/write/rows.repository.ts).
 */
function createLinkCounts({ dialect }: Database) {
  /** Returns the number of links found. */
  async function addTo(tx: Db, table: Table, counts: LinkCounts): Promise<number> {
    const counter = { table, key: "link_id", column: "clicks" } as const;
    const found = await dialect.addToCounters(tx, counter, counts.links, counts.clicks);
    const { links, automated } = only(counts, (_, at) => counts.automated[at]! > 0);
    if (links.length > 0)
      await dialect.addToCounters(tx, { ...counter, column: "automated" }, links, automated);
    return found;
  }

  /** Locked until the transaction ends. */
  async function lock(tx: Db, table: Table, links: readonly number[]): Promise<number[]> {
    const found: number[] = [];
    for (const chunk of chunked(links, CHUNK)) {
      const query = tx.selectFrom(table).select("link_id").where("link_id", "in", chunk).orderBy("link_id");
      const rows = await query.$call(dialect.forUpdate).execute();
      for (const { link_id } of rows) found.push(link_id);
    }
    return found;
  }

  /** Links in one of the tables. One statement, so that a moving link is in one of them. */
  async function known(tx: Db, links: Iterable<number>): Promise<Set<number>> {
    const found = new Set<number>();
    for (const chunk of chunked([...links], CHUNK)) {
      const of = (table: Table) => tx.selectFrom(table).select("link_id").where("link_id", "in", chunk);
      for (const { link_id } of await of("link_clicks").unionAll(of("deleted_links")).execute()) {
        found.add(link_id);
      }
    }
    return found;
  }

  /** Which links each table has, locked. The rest are unknown. */
  async function locate(tx: Db, links: readonly number[]): Promise<Record<Table, Set<number>>> {
    const places = { link_clicks: new Set<number>(), deleted_links: new Set<number>() };
    let open = new Set(links);
    for (let looks = 1; open.size > 0; looks++) {
      if (looks > MOST_LOOKS) throw new DatabaseError("retry", new Error("links move all the time"));
      for (const table of ["link_clicks", "deleted_links"] as const) {
        for (const id of await lock(tx, table, [...open])) {
          places[table].add(id);
          open.delete(id);
        }
      }
      open = await known(tx, open);
    }
    return places;
  }

  /** Returns the unknown links. */
  async function addToEither(tx: Db, counts: LinkCounts): Promise<Set<number>> {
    const places = await locate(tx, counts.links);
    const unknown = new Set(counts.links);
    for (const [table, ids] of Object.entries(places)) {
      const own = only(counts, (id) => ids.has(id));
      await addTo(tx, table as Table, own);
      if (table === "link_clicks") await addToTotals(tx, own);
      for (const id of ids) unknown.delete(id);
    }
    return unknown;
  }

  /** The sums over all links (links/link/query.repository.ts). */
  async function addToTotals(tx: Db, counts: LinkCounts): Promise<void> {
    if (counts.links.length === 0) return;
    const totals = { links: 0, clicks: totalOf(counts.clicks), automated: totalOf(counts.automated) };
    await tx.insertInto("link_totals").values(totals).execute();
  }

  return {
    addToEither,

    /** Expects that the links exist. Returns the unknown ones. @throws LinkMoved */
    async add(tx: Db, counts: LinkCounts): Promise<ReadonlySet<number>> {
      const found = await addTo(tx, "link_clicks", counts);
      if (found === counts.links.length) {
        await addToTotals(tx, counts);
        return NONE;
      }
      const { link_clicks: counted, deleted_links: deleted } = await locate(tx, counts.links);
      if (counted.size !== found) throw new LinkMoved();
      await addToTotals(
        tx,
        only(counts, (id) => counted.has(id)),
      );
      await addTo(
        tx,
        "deleted_links",
        only(counts, (id) => deleted.has(id)),
      );
      return new Set(counts.links.filter((id) => !counted.has(id) && !deleted.has(id)));
    },
  };
}

const only = (
  { links, clicks, automated }: LinkCounts,
  isKept: (id: number, at: number) => boolean,
): LinkCounts => {
  const keep = (_: number, at: number) => isKept(links[at]!, at);
  return { links: links.filter(keep), clicks: clicks.filter(keep), automated: automated.filter(keep) };
};
