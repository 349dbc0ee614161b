/** The click journal's side of the database: counters and the positions up to which journals are counted. */
import type { Database } from "../db/database.ts";
import { appError } from "../lib/errors.ts";
import type { LinkCounts } from "./flush.counts.ts";
import { FIRST_RECORD } from "./journal.format.ts";

/** A stretch of one segment whose clicks are counted together. */
export type CountedSpan = {
  segment: string;
  /** The position as the database has it; null when it has no row for the segment yet. */
  from: number | null;
  to: number;
  atMs: number;
  /** Filled in by count(), before it commits. */
  deleted: number;
  /** False when the segment was counted and removed by somebody else; asked when its row is made. */
  exists(): boolean;
};

export type ClicksRepository = {
  /** How far a segment is counted, or null when the database doesn't know it. */
  readPosition(segment: string): Promise<number | null>;
  /**
   * Adds the counts and moves the position from `from` to `to`, in one transaction. False, and nothing is changed,
   * when the position is not `from` (somebody counted this before). Writes the clicks whose links are gone, which
   * count nowhere, into `span.deleted`. When it rejects, all of it happened or nothing: read the position to know.
   */
  count(span: CountedSpan, counts: LinkCounts): Promise<boolean>;
  /** Forgets a segment whose file is gone. */
  forget(segment: string): Promise<void>;
  /** Forgets up to 1,000 segments not touched since then. */
  forgetBefore(atMs: number): Promise<void>;
  /** Who this database is; every installation has one. */
  instance(): Promise<string>;
};

const CHUNK = 1000;
const COUNTER = { table: "link_clicks", key: "link_id", column: "clicks" } as const;

export function createClicksRepository({ read, write, dialect, transaction }: Database): ClicksRepository {
  return {
    async readPosition(segment) {
      const row = await read
        .selectFrom("journals")
        .select("position")
        .where("id", "=", segment)
        .executeTakeFirst();
      return row?.position ?? null;
    },

    count: (span, counts) =>
      transaction(async (tx) => {
        const { segment, from, to, atMs } = span;
        // The position goes first: it makes two flushes of one segment wait for each other before any counter.
        if (from === null) {
          const row = { id: segment, position: FIRST_RECORD, updated_at: atMs };
          await dialect.insertIgnore(tx, "journals", ["id"], [row]);
          // Files go before rows: if the row went for good just now, the file is gone by this time.
          if (!span.exists()) throw appError("Conflict", `segment ${segment} was counted by somebody else`);
        }
        const moved = await tx
          .updateTable("journals")
          .set({ position: to, updated_at: atMs })
          .where("id", "=", segment)
          .where("position", "=", from ?? FIRST_RECORD)
          .executeTakeFirst();
        if (Number(moved.numUpdatedRows) !== 1) return false;
        const found = await dialect.addToCounters(tx, COUNTER, counts.links, counts.clicks);
        span.deleted = found === counts.links.length ? 0 : await clicksOfMissing(tx, counts);
        return true;
      }),

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

  async function clicksOfMissing(tx: typeof write, { links, clicks }: LinkCounts): Promise<number> {
    let missing = 0;
    for (let at = 0; at < links.length; at += CHUNK) {
      const chunk = links.slice(at, at + CHUNK);
      const rows = await tx
        .selectFrom("link_clicks")
        .select("link_id")
        .where("link_id", "in", chunk)
        .execute();
      const known = new Set(rows.map((row) => row.link_id));
      for (const [index, link] of chunk.entries()) if (!known.has(link)) missing += clicks[at + index]!;
    }
    return missing;
  }
}
