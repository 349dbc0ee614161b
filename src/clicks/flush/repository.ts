/** The click journal's side of the database: counters and the positions up to which journals are counted. */
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
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

/** What the clicks of a span add up to. */
export type FlushWork = {
  counts: ClickCounts;
  details: readonly Detail[];
  /** Of all the details. */
  sums: DetailSums;
  /** Raw rows after which no more details are written (analytics.max_log_rows with `stop`); 0: no limit. */
  mostLogRows: number;
  /** How many clicks came without details; clicks of links that are gone left out. */
  refused(gone: ReadonlySet<number>): DropCount[];
};

/** A stretch of one segment whose clicks are counted together. */
export type CountedSpan = {
  segment: string;
  /** The position as the database has it; null when it has no row for the segment yet. */
  from: number | null;
  to: number;
  atMs: number;
  /** Filled in by count(), before it commits. */
  deleted: number;
  /** The same, but for what was refused. */
  details: DetailOutcomes;
  /** False when the segment was counted and removed by somebody else; asked when its row is made. */
  exists(): boolean;
};

export type ClicksRepository = {
  /** How far a segment is counted, or null when the database doesn't know it. */
  readPosition(segment: string): Promise<number | null>;
  /**
   * Adds the counts and details and moves the position from `from` to `to`, in one transaction. False, and nothing is changed,
   * when the position is not `from` (somebody counted this before). Writes the clicks whose links are gone, which
   * count nowhere, into `span.deleted`, and what became of the details into `span.details`. When it rejects, all of it happened or nothing: read the position to know.
   */
  count(span: CountedSpan, work: FlushWork): Promise<boolean>;
  /** Forgets a segment whose file is gone. */
  forget(segment: string): Promise<void>;
  /** Forgets up to 1,000 segments not touched since then. */
  forgetBefore(atMs: number): Promise<void>;
  /** Who this database is; every installation has one. */
  instance(): Promise<string>;
};

const CHUNK = 1000;
const NONE: ReadonlySet<number> = new Set();
const COUNTER = { table: "link_clicks", key: "link_id", column: "clicks" } as const;

export function createClicksRepository(database: Database): ClicksRepository {
  const { read, write, dialect, transaction } = database;
  const rollups = createRollupsRepository(database);
  const log = createDetailsRepository(database);
  const drops = createDetailDropsRepository(database);
  const logCapacity = createLogCapacity(database);

  /** Moves the position; false when it isn't where the span begins. */
  async function move(tx: Db, { segment, from, to, atMs, exists }: CountedSpan): Promise<boolean> {
    // The position goes first: it makes two flushes of one segment wait for each other before any counter.
    if (from === null) {
      const row = { id: segment, position: FIRST_RECORD, updated_at: atMs };
      await dialect.insertIgnore(tx, "journals", ["id"], [row]);
      // Files go before rows: if the row went for good just now, the file is gone by this time.
      if (!exists()) throw appError("Conflict", `segment ${segment} was counted by somebody else`);
    }
    const moved = await tx
      .updateTable("journals")
      .set({ position: to, updated_at: atMs })
      .where("id", "=", segment)
      .where("position", "=", from ?? FIRST_RECORD)
      .executeTakeFirst();
    return Number(moved.numUpdatedRows) === 1;
  }

  /** Adds everything; returns what is to be done after the commit. */
  async function add(tx: Db, span: CountedSpan, work: FlushWork): Promise<() => void> {
    const { links } = work.counts;
    const found = await dialect.addToCounters(tx, COUNTER, links.links, links.clicks);
    const gone = found === links.links.length ? NONE : await missingLinks(tx, links);
    const counts = gone.size === 0 ? work.counts : withoutLinks(work.counts, gone);
    span.deleted = totalOf(links) - totalOf(counts.links);
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

  async function missingLinks(tx: Db, { links }: LinkCounts): Promise<Set<number>> {
    const missing = new Set(links);
    for (const chunk of chunked(links, CHUNK)) {
      const query = tx.selectFrom("link_clicks").select("link_id");
      const rows = await query.where("link_id", "in", chunk).execute();
      for (const { link_id } of rows) missing.delete(link_id);
    }
    return missing;
  }
}
