/**
 * The change feed: how every process learns that a link, a setting, an account or a session is not what it has in
 * memory any more.
 *
 * A write adds rows to the table `changes`, at the end of its own transaction: no change without its notice, and no
 * notice of a change that was rolled back. After the commit the writer's own subscribers are told and waited for,
 * so what this process answers next is the new state; then the bus, when there is one, tells other processes at
 * once. The bus may lose messages. What may not be lost is the table, which every process reads each second.
 *
 * Reading it is the reader's art, because rows become visible in the order of commits, not of their ids. A reader
 * remembers the highest id it saw and which ids below it were missing ("gaps", feed-gaps.ts); a gap is looked at
 * again with each poll until its row turns up or two minutes have passed, when its transaction must have been
 * rolled back: ids are given out just before the commit. A process passes over its own rows, because their change was
 * told after the commit. A commit that failed may have happened all the same. It is told with the next reading (until
 * the database can be read nothing newer could be had), and the process takes another name, so that it hears of the
 * rows if they turn up later. A handler may be called twice with the same keys (bus and table, or such a commit),
 * never not at all; so it forgets or reloads, which may be done twice.
 *
 * Rows are kept for an hour. A reader that could not read for nearly that long can't know what it missed: it tells
 * all its subscribers "*", everything, and begins at the newest row.
 */
import type { Transaction } from "kysely";
import type { Database, TransactionOptions } from "../db/database.ts";
import type { Schema } from "../db/schema.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { createFeed } from "./feed.repository.ts";
import { createFeedReader } from "./feed-reader.ts";
import { createPolling } from "./polling.ts";

export const TOPICS = ["links", "settings", "users", "sessions", "policies"] as const;
export type Topic = (typeof TOPICS)[number];
/** Codes, setting keys or ids as text; `["*"]` is everything. Idempotent: see above. */
export type ChangeHandler = (keys: readonly string[]) => void | Promise<void>;
export type Change = { topic: Topic; keys: readonly string[] };

/** Tells other processes at once: the workers of one machine, other nodes. */
export type Bus = {
  /** Resolves when the others have heard, or after a bound of its own; never rejects. */
  publish(changes: readonly Change[]): Promise<void>;
  /** Hears what others published, not what this process did. Returns how to stop. */
  subscribe(handler: (changes: readonly Change[]) => Promise<void>): () => void;
};

export type ChangeTransaction = {
  db: Transaction<Schema>;
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

/** The feed is read each second; what reads it later than this has lost touch. */
const CURRENT_MS = 2_000;
/** Rows are kept so long. */
const KEEP_MS = 3_600_000;
const PRUNE_MS = 300_000;
/** More keys than this at once are "everything". */
const MAX_KEYS = 100_000;

type Deps = {
  db: Database;
  clock: Clock;
  logger: Logger;
  /** A UUID of this process. */
  origin: string;
  bus?: Bus;
};

export function createChanges({ db, clock, logger, origin, bus }: Deps): Changes {
  const feed = createFeed(db);
  /** Rows that bear it were told already. */
  let own = origin;
  const { tell, subscribe } = createSubscribers(logger);
  const reader = createFeedReader({
    feed,
    clock,
    deliver: (rows) => tell(collect(rows.filter((row) => row.origin !== own))),
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

  let doubted: readonly Change[] = [];
  const doubt = (changes: readonly Change[]): void => {
    if (changes.length === 0) return;
    own = crypto.randomUUID();
    doubted = [...doubted, ...changes];
    if (isListening) polling.poll().catch(() => {});
  };
  const read = async (): Promise<void> => {
    const told = doubted;
    await reader.read();
    doubted = doubted.filter((change) => !told.includes(change));
    await tell(collect(told));
  };
  const polling = createPolling({ read, afterwards: prune, logger });

  let leaveBus: (() => void) | undefined;
  let isListening = false;
  return {
    subscribe,
    poll: polling.poll,
    isCurrent: (now) => now - (reader.lastRead() ?? Number.NEGATIVE_INFINITY) <= CURRENT_MS,
    async write(run, options) {
      let changes: Change[] = [];
      try {
        const result = await db.transaction(async (tx) => {
          const notes = createNotes();
          changes = [];
          const value = await run({ db: tx, changed: notes.add });
          changes = notes.all();
          await feed.append(tx, changes, own, clock.now());
          return value;
        }, options);
        await tell(changes);
        await bus?.publish(changes);
        return result;
      } catch (error) {
        doubt(changes);
        throw error;
      }
    },
    async start() {
      leaveBus ??= bus?.subscribe(tell);
      await polling.start();
      isListening = true;
    },
    async stop() {
      isListening = false;
      leaveBus?.();
      leaveBus = undefined;
      await polling.stop();
    },
  };
}

function createSubscribers(logger: Logger) {
  const handlers = new Map<Topic, Set<ChangeHandler>>(TOPICS.map((topic) => [topic, new Set()]));
  const call = async (handler: ChangeHandler, { topic, keys }: Change): Promise<void> => {
    try {
      await handler(keys);
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
    tell: async (changes: readonly Change[]): Promise<void> => {
      const calls = changes.flatMap((change) =>
        [...handlers.get(change.topic)!].map((one) => call(one, change)),
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
