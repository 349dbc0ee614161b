import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { DatabaseError } from "../../db/failures.ts";
import { chunked } from "../../lib/chunked.ts";
import { appError } from "../../lib/errors.ts";
import { createDetailDropsRepository } from "../details/drops.repository.ts";
import { type DropCount, stoppedByDay } from "../details/drops.ts";
import type { Detail } from "../details/details.ts";
import { createDetailsRepository } from "../details/repository.ts";
import { type DetailSums, sumDetails } from "../rollups/sums.ts";
import { withoutLinks } from "./counts.ts";
import { FIRST_RECORD } from "../journal/format.ts";
import { createLogCapacity } from "../details/log-capacity.repository.ts";
import { createRollupsRepository } from "../rollups/repository.ts";
import { type ClickCounts, type LinkCounts, totalOf } from "../rollups/click-counts.ts";
import type { DetailOutcomes } from "../details/gate.ts";

export type FlushWork = {
  counts: ClickCounts;
  details: readonly Detail[];
  /** Of all details. */
  sums: DetailSums;
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
  /** Those of automated visitors. */
  deletedAutomated: number;
  /** Likewise, without refused ones. */
  details: DetailOutcomes;
  /** False if another process counted and removed the segment. Called when its row is made. */
  exists(): boolean;
};

export type ClicksRepository = {
  /** Null without a row. */
  readPosition(segment: string): Promise<number | null>;
  /**
   * Adds counts and details and moves the position from `from` to `to` in one transaction. False, without a change, if
   * the position is not `from`. Clicks of a deleted link count for its code. Sets `span.deleted` (clicks of unknown
   * links, which count nowhere) and `span.details`. After a rejection read the position: all or nothing happened.
   */
  count(span: CountedSpan, work: FlushWork): Promise<boolean>;
  /** Call it when the segment's file is gone. */
  forget(segment: string): Promise<void>;
  /** At most 1,000 rows, not touched since then. */
  forgetBefore(atMs: number): Promise<void>;
  /** UUID of this database. */
  instance(): Promise<string>;
};

const CHUNK = 1000;
const NONE: ReadonlySet<number> = new Set();

export function createClicksRepository(database: Database): ClicksRepository {
  const { read, write, dialect, transaction } = database;
  const rollups = createRollupsRepository(database);
  const log = createDetailsRepository(database);
  const drops = createDetailDropsRepository(database);
  const logCapacity = createLogCapacity(database);

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

  /** Returns the number of links found. */
  async function addTo(tx: Db, table: "link_clicks" | "deleted_links", counts: LinkCounts): Promise<number> {
    const found = await dialect.addToCounters(
      tx,
      { table, key: "link_id", column: "clicks" },
      counts.links,
      counts.clicks,
    );
    const { links, automated } = only(counts, (at) => counts.automated[at]! > 0);
    if (links.length > 0)
      await dialect.addToCounters(tx, { table, key: "link_id", column: "automated" }, links, automated);
    return found;
  }

  /** Returns what to do after the commit. */
  async function add(tx: Db, span: CountedSpan, work: FlushWork): Promise<() => void> {
    const { links } = work.counts;
    const found = await addTo(tx, "link_clicks", links);
    const gone = found === links.links.length ? NONE : await addToDeleted(tx, links, found);
    const counts = gone.size === 0 ? work.counts : withoutLinks(work.counts, gone);
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
    return log.add(tx, kept, kept.length === work.details.length ? work.sums : sumDetails(kept));
  }

  return {
    async readPosition(segment) {
      const row = await read
        .selectFrom("journals")
        .select("position")
        .where("id", "=", segment)
        .executeTakeFirst();
      return row?.position ?? null;
    },

    async count(span, work) {
      if (work.mostLogRows > 0 && work.details.length > 0)
        await logCapacity.refresh(work.mostLogRows, span.atMs);
      const remember = await transaction(async (tx) => ((await move(tx, span)) ? add(tx, span, work) : null));
      remember?.();
      return remember !== null;
    },

    async forget(segment) {
      await write.deleteFrom("journals").where("id", "=", segment).execute();
    },

    async forgetBefore(atMs) {
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

    async instance() {
      const row = await read
        .selectFrom("instance")
        .select("uuid")
        .where("id", "=", 1)
        .executeTakeFirstOrThrow();
      return row.uuid;
    },
  };

  /**
   * After `found` links were counted: counts the others with the deleted links, which may be put back. Returns the
   * links that are in neither table. If one moved between the two meanwhile, the transaction runs again.
   */
  async function addToDeleted(tx: Db, counts: LinkCounts, found: number): Promise<Set<number>> {
    const { links } = counts;
    const unknown = new Set(links);
    for (const id of await presentIn(tx, "link_clicks", links)) unknown.delete(id);
    if (links.length - unknown.size !== found) throw linkMoved();
    const rest = only(counts, (at) => unknown.has(links[at]!));
    const counted = await addTo(tx, "deleted_links", rest);
    if (counted === rest.links.length) return new Set();
    const deleted = await presentIn(tx, "deleted_links", [...unknown]);
    for (const id of deleted) unknown.delete(id);
    const isMoved =
      deleted.length !== counted || (await presentIn(tx, "link_clicks", [...unknown])).length > 0;
    if (isMoved) throw linkMoved();
    return unknown;
  }

  async function presentIn(
    tx: Db,
    table: "link_clicks" | "deleted_links",
    links: readonly number[],
  ): Promise<number[]> {
    const found: number[] = [];
    for (const chunk of chunked(links, CHUNK)) {
      const rows = await tx.selectFrom(table).select("link_id").where("link_id", "in", chunk).execute();
      for (const { link_id } of rows) found.push(link_id);
    }
    return found;
  }
}

const linkMoved = () => new DatabaseError("retry", new Error("a link was deleted or put back meanwhile"));

const only = ({ links, clicks, automated }: LinkCounts, isKept: (at: number) => boolean): LinkCounts => ({
  links: links.filter((_, at) => isKept(at)),
  clicks: clicks.filter((_, at) => isKept(at)),
  automated: automated.filter((_, at) => isKept(at)),
});
