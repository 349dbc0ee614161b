/**
 * The change feed: how every process learns that a link, a setting, an account or a session is not what it has in
 * memory any more.
 *
 * A write adds rows to the table `changes`, at the end of its own transaction: no change without its notice, and no
 * notice of a change that was rolled back. After the commit the writer's own subscribers are told and waited for,
 * so what this process answers next is the new state; then the bus, when there is one, tells other processes at
 * once. The bus may lose messages. What may not be lost is the table, which every process reads twice a second.
 *
 * Reading it is the reader's art, because rows become visible in the order of commits, not of their ids. A reader
 * remembers the highest id it saw and which ids below it were missing ("gaps", feed-gaps.ts); a gap is looked at
 * again with each poll until its row turns up or two minutes have passed, when its transaction must have been
 * rolled back: ids are given out just before the commit.
 *
 * Each write has a name, which its rows and its message on the bus bear, so that a process that was told of it passes
 * over its rows. A write whose commit failed may have happened all the same: it is told to nobody, its own process
 * included, until its rows turn up. A handler may still be called twice with the same keys, never not at all; so it
 * forgets or reloads, which may be done twice.
 *
 * Rows are kept for an hour. A reader that could not read for nearly that long can't know what it missed: it tells
 * all its subscribers "*", everything, and begins at the newest row.
 */
import type { Database, TransactionOptions } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { createFeed } from "./feed.repository.ts";
import { createFeedReader } from "./feed-reader.ts";
import { createPolling } from "./polling.ts";

export const TOPICS = ["links", "settings", "users", "sessions", "policies"] as const;
export type Topic = (typeof TOPICS)[number];
/**
 * Codes, setting keys or ids as text; `["*"]` is everything. `isCleaned`: its writer has removed what is old from the
 * cache that nodes share. Idempotent: see above.
 */
export type ChangeHandler = (keys: readonly string[], isCleaned: boolean) => void | Promise<void>;
export type Change = { topic: Topic; keys: readonly string[] };
/** What a write changed. */
export type ChangeMessage = {
  /** The write's name; null in a part of one, whose rows are heard as well. */
  write: string | null;
  changes: readonly Change[];
  isCleaned: boolean;
};
export type ChangeMessageHandler = (news: ChangeMessage) => Promise<void>;

/** Tells other processes at once: the workers of one machine, other nodes. */
export type Bus = {
  /** Resolves when the others have heard, or after a bound of its own; never rejects. */
  publish(news: ChangeMessage): Promise<unknown>;
  /** Hears what others published, not what this process did. Returns how to stop. */
  subscribe(handler: ChangeMessageHandler): () => void;
};

export type ChangeTransaction = {
  db: Db;
  /** Says what the transaction changes, at any time before it ends. No keys: nothing changed. */
  changed(topic: Topic, keys: readonly string[]): void;
};

export type Changes = {
  /**
   * Runs the function in one transaction with its notices, and resolves with its result when this process's
   * subscribers (and the bus) know. It may run more than once: see Database.transaction.
   */
  write<T>(run: (tx: ChangeTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls the handler after each change of the topic, by whomever. Returns how to stop. */
  subscribe(topic: Topic, handler: ChangeHandler): () => void;
  /** Begins to listen; what changes from now on is heard. Load caches after it. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reads the feed now; resolves when the subscribers were told. Rejects when the database is away. */
  poll(): Promise<void>;
  /**
   * Whether all that was committed a moment ago has been heard. While it is false (the database is away or slow)
   * nobody can say that something does not exist just because nothing was heard of it.
   */
  isCurrent(now: number): boolean;
};

/** The feed is read twice a second; what reads it later than this has lost touch. */
const CURRENT_MS = 2_000;
/** Rows are kept so long. */
const KEEP_MS = 3_600_000;
const PRUNE_MS = 300_000;
/** More keys than this at once are "everything". */
const MAX_KEYS = 100_000;

/** Names of writes that are remembered; one that is forgotten is told twice. */
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
    deliver: (rows) => tell(collect(rows.filter((row) => !told.has(row.origin)))),
    restart: (awayMs) => {
      logger.warn({ awayMs }, "the change feed was out of reach for too long; reloading everything");
      return tell(TOPICS.map((topic) => ({ topic, keys: ["*"] })));
    },
  });

  let nextPrune = 0;
  const prune = async (): Promise<void> => {
    const now = clock.now();
    if (now < nextPrune) return;
    // The processes of a cluster come one after the other.
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
        const notes = createNotes();
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

/** The writes that were told in this process. */
function createTold() {
  const telling = new Map<string, Promise<void>>();
  return {
    has: (write: string): boolean => telling.has(write),
    /** Tells it, unless that was done or is being done already; resolves when it is done. */
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

function createSubscribers(logger: Logger) {
  const handlers = new Map<Topic, Set<ChangeHandler>>(TOPICS.map((topic) => [topic, new Set()]));
  const call = async (handler: ChangeHandler, { topic, keys }: Change, isCleaned: boolean): Promise<void> => {
    try {
      await handler(keys, isCleaned);
    } catch (error) {
      logger.error({ err: error, topic }, "a subscriber failed to apply a change");
    }
  };
  return {
    subscribe: (topic: Topic, handler: ChangeHandler) => {
      handlers.get(topic)!.add(handler);
      return () => {
        handlers.get(topic)!.delete(handler);
      };
    },
    /** Waits for all of them; a failing one is logged, because the change has happened. */
    tell: async (changes: readonly Change[], isCleaned = false): Promise<void> => {
      const calls = changes.flatMap((change) =>
        [...handlers.get(change.topic)!].map((one) => call(one, change, isCleaned)),
      );
      await Promise.all(calls);
    },
  };
}

/** One change a topic, with each key once; topics of a newer version are left out. */
function collect(noted: readonly { topic: string; keys: readonly string[] }[]): Change[] {
  const notes = createNotes();
  for (const { topic, keys } of noted) notes.add(topic, keys);
  return notes.all();
}

/** Gathers keys by topic, each once; as they come, because doing it for 100,000 at the end would hold the loop. */
function createNotes() {
  const keysOf = new Map<string, Set<string>>();
  return {
    add(topic: string, keys: readonly string[]): void {
      const known = keysOf.get(topic) ?? new Set();
      keysOf.set(topic, known);
      for (const key of known.has("*") ? [] : keys) known.add(key);
      if (known.size <= MAX_KEYS) return;
      known.clear();
      known.add("*");
    },
    all: (): Change[] =>
      TOPICS.flatMap((topic) => {
        const keys = keysOf.get(topic) ?? new Set();
        if (keys.size === 0) return [];
        return [{ topic, keys: keys.has("*") ? ["*"] : [...keys] }];
      }),
  };
}
