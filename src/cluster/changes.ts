/**
 * The change feed: it tells every process which links, settings, accounts and sessions changed.
 *
 * A write adds rows to the table `changes` at the end of its own transaction, so a change and its notice commit
 * together. After the commit the writer's subscribers run and the writer waits for them. Then the bus, if any, notifies
 * other processes. The bus may lose messages; every process also reads the table twice a second.
 *
 * Rows become visible in the order of commits, not of ids. A reader remembers the highest id and the ids missing below
 * it (feed-gaps.ts). It reads each gap again until the row appears, or for two minutes: ids are assigned just before
 * the commit, so the transaction was rolled back.
 *
 * Each write has a name, in its rows and its bus message, so a notified process skips the rows. A write whose commit
 * failed may have happened; its rows decide. A handler may run twice with the same keys, never not at all, so it must
 * be idempotent.
 *
 * Rows stay for an hour. A reader that was away for nearly that long sends "*", everything, to its subscribers and
 * continues at the newest row.
 */
import type { Database, TransactionOptions } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { createFeed } from "./feed.repository.ts";
import { createFeedReader } from "./feed-reader.ts";
import { createPolling } from "./polling.ts";
import {
  TOPICS,
  type Topic,
  type ChangeHandler,
  type Change,
  createSubscribers,
} from "./change-subscribers.ts";
import { collectChanges, createChangeNotes } from "./change-notes.ts";

export type ChangeMessage = {
  /** The write's name; null in a part of a write, whose rows count too. */
  write: string | null;
  changes: readonly Change[];
  isCleaned: boolean;
};

export type ChangeMessageHandler = (news: ChangeMessage) => Promise<void>;

/** Notifies other processes at once: workers of the machine, other nodes. */
export type Bus = {
  /** Resolves when the others have applied it, or after its own bound. Never rejects. */
  publish(news: ChangeMessage): Promise<unknown>;
  /** Receives the messages of other processes. Returns how to unsubscribe. */
  subscribe(handler: ChangeMessageHandler): () => void;
};

export type ChangeTransaction = {
  db: Db;
  /** Records what the transaction changes, at any time before its end. Without keys nothing changed. */
  changed(topic: Topic, keys: readonly string[]): void;
};

export type Changes = {
  /**
   * Runs the function in one transaction with its notices. Resolves when the subscribers of this process and the bus
   * are done. The function may run again: see Database.transaction.
   */
  write<T>(run: (tx: ChangeTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls the handler after each change of the topic in any process. Returns how to unsubscribe. */
  subscribe(topic: Topic, handler: ChangeHandler): () => void;
  /** Starts listening. Load caches after it. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reads the feed now. Resolves after the subscribers ran. Rejects while the database is away. */
  poll(): Promise<void>;
  /** Whether everything committed until a moment ago was received. While false, a missing notice proves nothing. */
  isCurrent(now: number): boolean;
};

/** Beyond this age of the last reading (two a second), the process is not current. */
const CURRENT_MS = 2_000;

/** Of rows. */
const KEEP_MS = 3_600_000;

const PRUNE_MS = 300_000;

/** Names of writes to remember. The process handles a forgotten one twice. */
const MOST_TOLD = 5_000;

type Deps = {
  database: Database;
  clock: Clock;
  logger: Logger;
  bus?: Bus;
};

export function createChanges({ database, clock, logger, bus }: Deps): Changes {
  const feed = createFeed(database);
  const { tell, subscribe } = createSubscribers(logger);
  const told = createTold();
  const reader = createFeedReader({
    feed,
    clock,
    deliver: (rows) => tell(collectChanges(rows.filter((row) => !told.has(row.origin)))),
    restart: (awayMs) => {
      logger.warn({ awayMs }, "the change feed could not be read for too long; reloading everything");
      return tell(TOPICS.map((topic) => ({ topic, keys: ["*"] })));
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
  const polling = createPolling({ read: reader.read, afterwards: prune, logger });

  let leaveBus: (() => void) | undefined;
  return {
    subscribe,
    poll: polling.poll,
    isCurrent: (now) => now - (reader.lastRead() ?? Number.NEGATIVE_INFINITY) <= CURRENT_MS,
    async write(run, options) {
      const write = crypto.randomUUID();
      let changes: Change[] = [];
      const result = await database.transaction(async (tx) => {
        const notes = createChangeNotes();
        const value = await run({ db: tx, changed: notes.add });
        changes = notes.all();
        await feed.append(tx, changes, write, clock.now());
        return value;
      }, options);
      await told.once(write, () => tell(changes));
      if (changes.length > 0) await bus?.publish({ write, changes, isCleaned: false });
      return result;
    },
    async start() {
      leaveBus ??= bus?.subscribe(({ write, changes, isCleaned }) =>
        told.once(write, () => tell(changes, isCleaned)),
      );
      await polling.start();
    },
    async stop() {
      leaveBus?.();
      leaveBus = undefined;
      await polling.stop();
    },
  };
}

/** The writes that this process has handled. */
function createTold() {
  const telling = new Map<string, Promise<void>>();
  return {
    has: (write: string): boolean => telling.has(write),
    /** Runs `tell` unless the write was or is being handled. Resolves when that is done. */
    once(write: string | null, tell: () => Promise<void>): Promise<void> {
      if (write === null) return tell();
      const known = telling.get(write);
      if (known !== undefined) return known;
      const done = tell();
      telling.set(write, done);
      for (const oldest of telling.keys()) {
        if (telling.size <= MOST_TOLD) break;
        telling.delete(oldest);
      }
      return done;
    },
  };
}
