import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import { createDetailDropsRepository } from "../details/drops.repository.ts";
import { type DropCount, stoppedByDay } from "../details/drops.ts";
import type { Detail } from "../details/details.ts";
import { createDetailsRepository } from "../details/repository.ts";
import { type DetailSums, sumDetails } from "../rollups/sums.ts";
import { withoutLinks } from "./counts.ts";
import { createLinkCounts, LinkMoved } from "./links.repository.ts";
import { FIRST_RECORD } from "../journal/format.ts";
import { createLogCapacity } from "../details/log-capacity.repository.ts";
import { createRollupsRepository } from "../rollups/repository.ts";
import { type ClickCounts, totalOf } from "../rollups/click-counts.ts";
import type { DetailOutcomes } from "../details/gate.ts";

export type FlushWork = {
  counts: ClickCounts;
  details: readonly Detail[];
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
    const { links } = work.counts;
    const gone = isCareful ? await linkCounts.addToEither(tx, links) : await linkCounts.add(tx, links);
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
    /** Null without a row. */
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
        transaction(async (tx) => ((await move(tx, span)) ? add(tx, span, work, isCareful) : null));
      const remember = await attempt(false).catch((error: unknown) => {
        if (error instanceof LinkMoved) return attempt(true);
        throw error;
      });
      remember?.();
      return remember !== null;
    },

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
