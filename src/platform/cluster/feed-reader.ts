import type { Clock } from "../../lib/clock.ts";
import type { Feed, FeedRow } from "./feed.repository.ts";
import { createGaps } from "./feed-gaps.ts";

/** A row may have 60 KB; more rows would block the event loop. */
const PAGE_ROWS = 32;
const LATE_ROWS = 200;
/** Covers transactions about to commit at the start. */
const LOOK_BACK_ROWS = 1_000;
const AWAY_TOO_LONG_MS = 3_300_000;

export function createFeedReader(deps: {
  feed: Feed;
  clock: Clock;
  /** Receives each new row once. Never rejects. */
  deliver: (rows: readonly FeedRow[]) => Promise<void>;
  /** Called if rows may be missing. */
  restart: (awayMs: number) => Promise<void>;
}) {
  const { feed, clock, deliver, restart } = deps;
  const gaps = createGaps();
  let lastRead: number | undefined;
  /** Before the last complete reading. */
  let commits: number | undefined;

  const begin = async (now: number): Promise<void> => gaps.reset(await feed.newestIds(LOOK_BACK_ROWS), now);

  const readNew = async (): Promise<void> => {
    for (let full = true; full; ) {
      const rows = await feed.after(gaps.top(), PAGE_ROWS);
      full = rows.length === PAGE_ROWS;
      gaps.advance(
        rows.map(({ id }) => id),
        clock.now(),
      );
      await deliver(rows);
    }
  };

  const readLate = async (): Promise<void> => {
    for (const ranges of gaps.open(clock.now())) {
      const rows = await feed.within(ranges, LATE_ROWS);
      gaps.found(rows.map(({ id }) => id));
      await deliver(rows);
    }
  };

  return {
    /** Start of the last complete reading. */
    lastRead: (): number | undefined => lastRead,
    /** Calls must not overlap. The first one only finds the end of the feed. */
    async read(): Promise<void> {
      const now = clock.now();
      const awayMs = now - (lastRead ?? now);
      const newest = feed.commits();
      if (newest !== undefined && newest === commits) return void (lastRead = now);
      if (lastRead === undefined || awayMs > AWAY_TOO_LONG_MS) await begin(now);
      if (awayMs > AWAY_TOO_LONG_MS) await restart(awayMs);
      await readNew();
      await readLate();
      lastRead = now;
      commits = newest;
    },
  };
}
