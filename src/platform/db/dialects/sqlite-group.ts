/**
 * Short transactions, on the calling thread. Those that arrive together share one: each is a savepoint, so that the
 * failure of one leaves the others alone. Statements that find their rows by an index take less time than a hop to the
 * thread that writes. The wait for the disk is in neither: a commit leaves the journal to the system, and a group is
 * done when the file of the journal is synchronized, once for all groups that wait. Who loses power before loses
 * changes that nobody was told of.
 *
 * Whatever this way can't do (another process writes, the disk is full) runs in the thread. The thread also moves the
 * journal into the database and begins it anew, because both wait for the disk.
 */
import { closeSync, fdatasync, fstatSync, openSync, realpathSync } from "node:fs";
import { promisify } from "node:util";
import type { Transaction } from "kysely";
import type { Logger } from "../../../lib/logger.ts";
import { createKysely, type SqlFlavour, STATEMENT_TIMEOUT_MS } from "../driver.ts";
import { DatabaseError, type FailureKind, translateFailure } from "../failures.ts";
import { runPreparedBy } from "../prepared.ts";
import type { Schema } from "../schema.ts";
import { markShort, TooLong } from "../short-transactions.ts";
import { openSqlite, type SqliteConnection } from "./sqlite-connection.ts";
import type { Lanes } from "./sqlite-lanes.ts";

/** A group ends after it; a hold of the event loop is little longer. */
const MOST_MS = 4;
/** Groups between two looks at the size of the journal: each adds 10 to 200 KB. */
const GROUPS_PER_LOOK = 32;
/** As in SQLite. */
const PAGES_IN_JOURNAL = 1_000;

type Run<T> = (tx: Transaction<Schema>) => Promise<T>;

type Job = {
  run: Run<unknown>;
  done(value: unknown): void;
  fail(error: unknown): void;
  /** Runs it in the thread. */
  elsewhere(): void;
};

type Settings = {
  path: string;
  flavour: SqlFlavour;
  classify: (error: unknown) => FailureKind;
  /** The thread, which no other connection of this process writes beside. */
  writer: Lanes;
  /** Whether the disk has room for new rows. */
  hasRoom(): boolean;
  /** Ends reads that the connection and others have begun: before a group and after its commit. */
  endReads(): void;
  logger: Logger;
};

const synchronize = promisify(fdatasync);

export type GroupCommits = ReturnType<typeof createGroupCommits>;

export function createGroupCommits(settings: Settings) {
  const { writer, hasRoom, endReads } = settings;
  const queue: Job[] = [];
  const journal = createJournal(settings);
  let opened: Promise<{ connection: SqliteConnection; tx: Transaction<Schema> }> | undefined;
  let isRunning = false;
  /** The open connection while no group runs. */
  let idle: SqliteConnection | undefined;

  const open = () => {
    opened ??= connect(settings, journal);
    // The next group tries again.
    opened.catch(() => (opened = undefined));
    return opened;
  };

  /** The lane's holder calls it. */
  async function runGroup(): Promise<void> {
    const begun = performance.now();
    const done: { job: Job; value: unknown }[] = [];
    let hasBegun = false;
    try {
      const { connection, tx } = await open();
      const run = (text: string) => connection.executeSync(text, []);
      idle = connection;
      endReads();
      run("begin immediate");
      idle = undefined;
      hasBegun = true;
      while (queue.length > 0 && performance.now() - begun < MOST_MS) {
        const job = queue[0]!;
        run("savepoint one");
        try {
          const value = await job.run(tx);
          run("release one");
          done.push({ job, value });
        } catch (error) {
          if (error instanceof DatabaseError && !isRefusal(error)) throw error;
          run("rollback to one");
          run("release one");
          if (error instanceof TooLong) job.elsewhere();
          else job.fail(error);
        }
        queue.shift();
      }
      run("commit");
      idle = connection;
    } catch {
      if (hasBegun) await drop();
      const unfinished = queue.splice(0);
      for (const { elsewhere } of [...done.map(({ job }) => job), ...unfinished]) elsewhere();
      return;
    }
    endReads();
    if (done.length === 0) return;
    void journal.synchronized().then(
      () => {
        for (const { job, value } of done) job.done(value);
      },
      (error: unknown) => {
        for (const { job } of done) job.fail(new DatabaseError("unavailable", error));
      },
    );
  }

  /** Ends the transaction, if SQLite has not done so, with the connection. */
  async function drop(): Promise<void> {
    const connecting = opened;
    opened = undefined;
    idle = undefined;
    endReads();
    (await connecting?.catch(() => undefined))?.connection.close();
  }

  async function runAll(): Promise<void> {
    while (queue.length > 0) {
      try {
        const held = await writer.acquire(STATEMENT_TIMEOUT_MS);
        try {
          if (hasRoom()) await runGroup();
          else for (const { elsewhere } of queue.splice(0)) elsewhere();
          await journal.keepShort(held);
        } finally {
          writer.release(held, false);
        }
      } catch (error) {
        for (const { fail } of queue.splice(0)) fail(error);
      }
      // Requests that arrived meanwhile join the next group.
      await nextTurn();
    }
    isRunning = false;
  }

  return {
    /** The connection while it has no transaction. */
    idle: () => idle,

    /** @param elsewhere runs the transaction in the thread */
    transact: <T>(run: Run<T>, elsewhere: () => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        queue.push({
          run,
          done: resolve as (value: unknown) => void,
          fail: reject,
          elsewhere: () => void elsewhere().then(resolve, reject),
        });
        if (isRunning) return;
        isRunning = true;
        setImmediate(() => void runAll());
      }),

    async close(): Promise<void> {
      await drop();
      journal.close();
    },
  };
}

/** A failure of the one transaction alone, after which the others continue. */
const isRefusal = ({ failure }: DatabaseError): boolean => failure === "unique" || failure === "foreign_key";

async function connect({ path, flavour, classify }: Settings, journal: Journal) {
  const connection = openSqlite({
    path,
    readonly: false,
    busyTimeoutMs: 0,
    cacheKib: 16_384,
    leavesJournal: true,
  });
  try {
    journal.open();
  } catch (error) {
    connection.close();
    throw error;
  }
  const kysely = createKysely({
    source: { begin: "select 1", acquire: async () => connection, release: () => {} },
    flavour,
    classify,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  // Never ends: groups begin and commit beneath it.
  const tx = await kysely.startTransaction().execute();
  markShort(tx);
  runPreparedBy(tx, (text, parameters) => {
    try {
      return connection.executeSync(text, parameters);
    } catch (error) {
      throw translateFailure({ classify }, error);
    }
  });
  return { connection, tx };
}

type Journal = ReturnType<typeof createJournal>;

/** The write-ahead journal beside the database. */
function createJournal({ path, logger }: Pick<Settings, "path" | "logger">) {
  let file: number | undefined;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let groups = 0;

  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }

  /** The file is made anew after all connections were closed. */
  function openFile(): number {
    if (file !== undefined && fstatSync(file).nlink === 0) close();
    // SQLite follows links of files.
    return (file ??= openSync(`${realpathSync(path)}-wal`, "r"));
  }

  return {
    /** @throws if the system refuses it */
    open: () => void openFile(),

    close,

    /** Resolves when all commits before this call are on the disk. */
    synchronized(): Promise<void> {
      next ??= running
        .catch(() => {})
        .then(() => {
          next = null;
          running = synchronize(openFile());
          return running;
        });
      return next;
    },

    /** Moves a long journal into the database. @param thread a held connection of the thread */
    async keepShort(thread: Awaited<ReturnType<Lanes["acquire"]>>): Promise<void> {
      if (++groups % GROUPS_PER_LOOK !== 0) return;
      try {
        const { rows } = await thread.execute("pragma wal_checkpoint(noop)", []);
        const [{ log = 0 } = {}] = rows as { log: number }[];
        if (log < PAGES_IN_JOURNAL) return;
        const { rows: after } = await thread.execute("pragma wal_checkpoint(passive)", []);
        const [{ log: pages, checkpointed } = { log: 0, checkpointed: -1 }] = after as {
          log: number;
          checkpointed: number;
        }[];
        // The first write after it begins the journal anew and waits for the disk. It changes nothing.
        if (pages === checkpointed) await thread.execute("pragma user_version = 0", []);
      } catch (error) {
        logger.warn({ err: error }, "the journal of the database can't be moved into it");
      }
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
