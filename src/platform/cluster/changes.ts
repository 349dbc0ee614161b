/**
 * The change feed.
 *
 * A write adds rows to the table `changes` in its own transaction. After the commit it waits for this process's
 * subscribers; then the bus, if any, notifies other processes. The bus may lose messages, so every process also reads
 * the table twice a second.
 *
 * Rows become visible in the order of commits, not of ids, so readers watch for missing ids (feed-gaps.ts).
 *
 * Each write has a name in its rows and its message, so a notified process skips the rows. After a failed commit the
 * rows decide. A handler runs at least once.
 *
 * Rows stay for an hour. A reader that was away for nearly that long sends "*" and continues at the newest row.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Database, TransactionOptions } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import { isUnavailable } from "../db/failures.ts";
import {
  type Change,
  collectChanges,
  createChangeNotes,
  createSubscribers,
  type Topic,
  TOPICS,
} from "./change-subscribers.ts";
import { createGaps } from "./feed-gaps.ts";
import { createFeed, type Feed, type FeedRow } from "./feed.repository.ts";

/** Half of the second within which a change must arrive. */
const POLL_MS = 500;

/** Polls even while the database is away. */
export function createPolling(deps: {
  read: () => Promise<void>;
  /** The next reading does not wait for it. */
  afterwards: () => Promise<void>;
  logger: Logger;
}) {
  const { read, afterwards, logger } = deps;
  let queue: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let failures = 0;
  let housekeeping: Promise<void> | null = null;

  /** A reading that starts after this call. Rejects if it fails. */
  const poll = (): Promise<void> => {
    const reading = queue.then(read);
    queue = reading.catch(() => {});
    return reading;
  };
  const turn = async (): Promise<void> => {
    try {
      await poll();
      housekeeping ??= keepHouse();
      if (failures > 0) logger.info({ failures }, "the change feed can be read again");
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1 || !isUnavailable(error))
        logger.warn({ err: error }, "the change feed can't be read");
    }
    if (running) schedule();
  };
  const keepHouse = async (): Promise<void> => {
    try {
      await afterwards();
    } catch (error) {
      if (!isUnavailable(error)) logger.warn({ err: error }, "the change feed can't be pruned");
    } finally {
      housekeeping = null;
    }
  };
  const schedule = (): void => {
    timer = setTimeout(turn, POLL_MS);
    timer.unref();
  };

  return {
    poll,
    /** Reads once and rejects on failure. Then polls. */
    async start(): Promise<void> {
      if (running) return;
      running = true;
      try {
        await poll();
      } catch (error) {
        running = false;
        throw error;
      }
      schedule();
    },
    /** Resolves when nothing runs. */
    async stop(): Promise<void> {
      running = false;
      clearTimeout(timer);
      await queue;
      await housekeeping;
    },
  };
}

/** A row may have 60 KB; more rows would block the event loop. */
const PAGE_ROWS = 32;
const LATE_ROWS = 200;
/** Covers transactions about to commit at the start. */
const LOOK_BACK_ROWS = 1_000;
const AWAY_TOO_LONG_MS = 3_300_000;

function createFeedReader(deps: {
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

export type ChangeMessage = {
  /** Name of the write; null in a part of one, whose rows count too. */
  write: string | null;
  changes: readonly Change[];
  isCleaned: boolean;
};

export type ChangeMessageHandler = (news: ChangeMessage) => Promise<void>;

/** Reaches the machine's workers and other nodes. */
export type Bus = {
  /** Resolves when they have applied it, or after a bound. Never rejects. */
  publish(news: ChangeMessage): Promise<unknown>;
  subscribe(handler: ChangeMessageHandler): () => void;
};

export type ChangeTransaction = {
  db: Db;
  /** Callable until the transaction's end. Without keys nothing changed. */
  changed(topic: Topic, keys: readonly string[]): void;
};

export type Changes = ReturnType<typeof createChanges>;

const CURRENT_MS = 1_000;

/** Rows stay this long. */
const KEEP_MS = 3_600_000;

const PRUNE_MS = 300_000;

/** Remembered names of writes. A forgotten write is handled twice. */
const MOST_HANDLED = 5_000;

type Deps = {
  database: Database;
  clock: Clock;
  logger: Logger;
  bus?: Bus;
  /** Runs each reading of the table. */
  around?(read: () => Promise<void>): Promise<void>;
};

export function createChanges({ database, clock, logger, bus, around = (read) => read() }: Deps) {
  const feed = createFeed(database);
  const { notify, subscribe } = createSubscribers(logger);
  const handled = createHandledWrites();
  const reader = createFeedReader({
    feed,
    clock,
    deliver: (rows) => notify(collectChanges(rows.filter((row) => !handled.has(row.origin)))),
    restart: (awayMs) => {
      logger.warn({ awayMs }, "the change feed could not be read for too long; reloading everything");
      return notify(TOPICS.map((topic) => ({ topic, keys: ["*"] })));
    },
  });

  let nextPrune = 0;
  const prune = async (): Promise<void> => {
    const now = clock.now();
    if (now < nextPrune) return;
    // Spreads the processes of a cluster.
    nextPrune = now + PRUNE_MS * (0.5 + Math.random());
    await feed.prune(now - KEEP_MS);
  };
  const polling = createPolling({ read: () => around(reader.read), afterwards: prune, logger });

  let leaveBus: (() => void) | undefined;
  return {
    /** Calls a handler after changes in any process. Returns the function that unsubscribes. */
    subscribe,
    /** Resolves after the subscribers ran. Rejects while the database is away. */
    poll: polling.poll,
    /** All commits until a second ago were received. */
    isCurrent: (now: number): boolean => now - (reader.lastRead() ?? Number.NEGATIVE_INFINITY) <= CURRENT_MS,
    /** Resolves after this process's subscribers and the bus. The function may run again: see Database.transaction. */
    async write<T>(run: (tx: ChangeTransaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
      const write = crypto.randomUUID();
      let changes: Change[] = [];
      const result = await database.transaction(async (tx) => {
        const notes = createChangeNotes();
        const value = await run({ db: tx, changed: notes.add });
        changes = notes.all();
        await feed.append(tx, changes, write, clock.now());
        return value;
      }, options);
      await handled.once(write, () => notify(changes));
      if (changes.length > 0) await bus?.publish({ write, changes, isCleaned: false });
      return result;
    },
    /** Load caches after it. */
    async start(): Promise<void> {
      leaveBus ??= bus?.subscribe(({ write, changes, isCleaned }) =>
        handled.once(write, () => notify(changes, isCleaned)),
      );
      await polling.start();
    },
    async stop(): Promise<void> {
      leaveBus?.();
      leaveBus = undefined;
      await polling.stop();
    },
  };
}

function createHandledWrites() {
  const byWrite = new Map<string, Promise<void>>();
  return {
    has: (write: string): boolean => byWrite.has(write),
    /** Calls `tell` once for each write. Resolves when it is done. */
    once(write: string | null, notify: () => Promise<void>): Promise<void> {
      if (write === null) return notify();
      const known = byWrite.get(write);
      if (known !== undefined) return known;
      const done = notify();
      byWrite.set(write, done);
      for (const oldest of byWrite.keys()) {
        if (byWrite.size <= MOST_HANDLED) break;
        byWrite.delete(oldest);
      }
      return done;
    },
  };
}
