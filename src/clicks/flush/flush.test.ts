import { afterEach, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { deletionIn } from "../../links/links.test-support.ts";
import { deleteLinks } from "../../links/write/rows.repository.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import { type ClicksRepository, createClicksRepository } from "./repository.ts";
import { addLinks, clicksOf, openJournal, segmentOf, temporaryFolder } from "../clicks.test-support.ts";
import type { SettledClicks } from "./source.ts";
import { FIRST_RECORD } from "../journal/format.ts";
import { NO_REFUSALS } from "../details/gate.ts";
import { UTC } from "../rollups/calendar.ts";
import { createFlusher } from "./flush.ts";

const DAY = 24 * 3600_000;

forEachDialect((dialect) => {
  const folder = temporaryFolder();
  let folders = 0;
  let database: Database;
  let repository: ClicksRepository;
  let instance: string;
  let ids: number[];

  beforeAll(async () => {
    database = await dialect.openDb();
    repository = createClicksRepository(database);
    instance = await repository.instance();
    ids = await addLinks(database, 5);
  });

  afterEach(async () => {
    const counted = await sumsOf("link_clicks");
    expect(await sumsOf("link_totals")).toEqual(counted);
  });

  const sumsOf = (table: "link_clicks" | "link_totals") =>
    database.read
      .selectFrom<typeof table>(table)
      .select((eb) => [eb.fn.sum("clicks").as("clicks"), eb.fn.sum("automated").as("automated")])
      .executeTakeFirstOrThrow();

  /** A slot with an open journal in its own journal folder. */
  const openSlot = (options: { segmentBytes?: number; instance?: string } = {}) => {
    const journalDir = join(folder, String(++folders));
    return { journalDir, ...options, dir: join(journalDir, "0") };
  };

  const flusherOf = (journalDir: string, options: { batchClicks?: number; now?: number } = {}) => {
    const settled: SettledClicks[] = [];
    const errors: string[] = [];
    const flusher = createFlusher({
      repository,
      instance,
      journalDir,
      clock: { now: () => options.now ?? Date.now() },
      logger: {
        ...silentLogger,
        error: (_: unknown, message: string) => void errors.push(message),
      } as Logger,
      onSettled: (part) => settled.push(part),
      ...(options.batchClicks === undefined ? {} : { batchClicks: options.batchClicks }),
    });
    const books = () => ({
      stored: settled.reduce((sum, part) => sum + part.stored, 0),
      deleted: settled.reduce((sum, part) => sum + part.deleted, 0),
    });
    return { flusher, settled, books, errors };
  };

  const added = async (work: () => Promise<unknown>): Promise<number[]> => {
    const before = await clicksOf(database, ids);
    await work();
    return (await clicksOf(database, ids)).map((clicks, at) => clicks - before[at]!);
  };

  const journalRows = async () => (await database.read.selectFrom("journals").selectAll().execute()).length;

  test("counts written clicks, then added ones, each once", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    const { flusher, books } = flusherOf(slot.journalDir);
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    for (let at = 0; at < 300; at++) journal.record(ids[at % 3]!, Date.now());
    expect(await added(() => flusher.flush())).toEqual([100, 100, 100, 0, 0]);
    journal.record(ids[4]!, Date.now());
    expect(flusher.pendingLinks()).toBe(1);
    expect(await added(() => Promise.all([flusher.flush(), flusher.flush()]))).toEqual([0, 0, 0, 0, 1]);
    expect(await added(() => flusher.flush())).toEqual([0, 0, 0, 0, 0]);
    expect(books()).toEqual({ stored: 301, deleted: 0 });
    expect(flusher.pendingLinks()).toBe(0);
    await journal.close();
  });

  test("a sealed segment is deleted with its row when it is counted", async () => {
    const slot = openSlot({ segmentBytes: segmentOf(256) });
    const { journal, opened } = await openJournal({ ...slot, instance });
    const { flusher } = flusherOf(slot.journalDir, { batchClicks: 100 });
    const rows = await journalRows();
    let retired = 0;
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => (retired += 1));
    for (let at = 0; at < 250; at++) journal.record(ids[0]!, Date.now());
    expect(await added(() => flusher.flush())).toEqual([250, 0, 0, 0, 0]);
    expect(await journalRows()).toBe(rows + 1);
    journal.record(ids[1]!, Date.now());
    await journal.close();
    flusher.seal(opened[0]!);
    expect(await added(() => flusher.flush())).toEqual([0, 1, 0, 0, 0]);
    expect(existsSync(opened[0]!)).toBe(false);
    expect(await journalRows()).toBe(rows);
    expect(retired).toBe(1);
  });

  test("an empty segment is deleted without a database row", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    await journal.close();
    const rows = await journalRows();
    const { flusher } = flusherOf(slot.journalDir);
    flusher.add({ path: opened[0]!, final: true, position: null }, () => {});
    expect(await flusher.flush()).toEqual({ clicks: 0, links: 0 });
    expect(existsSync(opened[0]!)).toBe(false);
    expect(await journalRows()).toBe(rows);
  });

  test("two processes that replay one segment count it once", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    for (let at = 0; at < 900; at++) journal.record(ids[at % 2]!, Date.now());
    await journal.close();
    // Small batches that overtake each other. The last ones find file or row gone.
    const flushers = [50, 70, 110, 900].map(
      (batchClicks) => flusherOf(slot.journalDir, { batchClicks }).flusher,
    );
    for (const flusher of flushers) flusher.add({ path: opened[0]!, final: true, position: null }, () => {});
    const flushAll = () => Promise.all(flushers.map((flusher) => flusher.flush().catch(() => {})));
    expect(await added(async () => [await flushAll(), await flushAll()])).toEqual([450, 450, 0, 0, 0]);
    expect(existsSync(opened[0]!)).toBe(false);
  });

  test("a segment that another process counted and removed is not counted again", async () => {
    const segment = crypto.randomUUID();
    const details = { logged: 0, stopped: 0, deleted: 0, refused: NO_REFUSALS };
    const span = {
      segment,
      from: null,
      to: 8192,
      atMs: Date.now(),
      deleted: 0,
      deletedAutomated: 0,
      details,
      exists: () => false,
    };
    const links = { links: [ids[0]!], clicks: [5], automated: [2] };
    const sums = {
      calendar: UTC,
      counts: { links, hours: [], days: [], months: [] },
      details: { days: new Map(), hours: new Map() },
    };
    const batch = {
      sums,
      sumIn: () => sums,
      details: [],
      mostLogRows: 0,
      refused: () => [],
    };
    expect(await added(() => repository.count(span, batch).catch(() => {}))).toEqual([0, 0, 0, 0, 0]);
    expect(await repository.readPosition(segment)).toBeNull();
  });

  test("continues at the position in the database after another process counted a part", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    const one = flusherOf(slot.journalDir);
    const other = flusherOf(slot.journalDir);
    one.flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    other.flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    for (let at = 0; at < 10; at++) journal.record(ids[0]!, Date.now());
    await one.flusher.flush();
    for (let at = 0; at < 5; at++) journal.record(ids[1]!, Date.now());
    expect(await added(() => other.flusher.flush())).toEqual([0, 5, 0, 0, 0]);
    // The first flusher reads the position and books the other's counts.
    expect(await added(() => one.flusher.flush())).toEqual([0, 0, 0, 0, 0]);
    journal.record(ids[2]!, Date.now());
    expect(await added(() => one.flusher.flush())).toEqual([0, 0, 1, 0, 0]);
    expect(one.books().stored).toBe(16);
    expect(other.books().stored).toBe(15);
    await journal.close();
  });

  test("clicks of a link that was deleted before they were counted count for its code", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    const [gone] = await addLinks(database, 1);
    const { flusher, books } = flusherOf(slot.journalDir);
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    for (let at = 0; at < 10; at++) journal.record(at < 7 ? gone! : ids[0]!, Date.now());
    journal.record(2 ** 53 - 1, Date.now());
    await database.transaction((tx) => deleteLinks(tx, "id", [gone!], deletionIn(database, Date.now())));
    expect(await added(() => flusher.flush())).toEqual([3, 0, 0, 0, 0]);
    expect(books()).toEqual({ stored: 10, deleted: 1 });
    for (const table of ["click_hours", "click_days", "click_months"] as const) {
      const query = database.read.selectFrom(table as "click_days").select("clicks");
      expect(await query.where("link_id", "=", gone!).execute()).toEqual([{ clicks: 7 }]);
    }
    await journal.close();
  });

  test("clicks of unknown links count only in the books", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    const [gone] = await addLinks(database, 1);
    const { flusher, books } = flusherOf(slot.journalDir);
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    for (let at = 0; at < 10; at++) journal.record(at < 7 ? gone! : ids[0]!, Date.now());
    journal.record(2 ** 53 - 1, Date.now());
    await database.write.deleteFrom("links").where("id", "=", gone!).execute();
    expect(await added(() => flusher.flush())).toEqual([3, 0, 0, 0, 0]);
    expect(books()).toEqual({ stored: 3, deleted: 8 });
    expect(
      (await database.read.selectFrom("link_clicks").selectAll().where("link_id", "=", gone!).execute())
        .length,
    ).toBe(0);
    await journal.close();
  });

  test("thousands of links are counted at once", async () => {
    const many = await addLinks(database, 2500);
    const slot = openSlot({ segmentBytes: segmentOf(20_000) });
    const { journal, opened } = await openJournal({ ...slot, instance });
    const { flusher } = flusherOf(slot.journalDir);
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    many.forEach((id, at) => {
      for (let times = 0; times <= at % 3; times++) journal.record(id, Date.now());
    });
    await flusher.flush();
    expect((await Promise.all(chunks(many).map((part) => clicksOf(database, part)))).flat()).toEqual(
      many.map((_, at) => (at % 3) + 1),
    );
    await journal.close();
  });

  test("clicks of another database, files that are not journals and expired journals are set aside", async () => {
    const slot = openSlot();
    const foreign = await openJournal({ ...slot, instance: crypto.randomUUID() });
    foreign.journal.record(ids[0]!, Date.now());
    await foreign.journal.close();
    const ancient = await openJournal({ ...slot, dir: join(slot.journalDir, "1"), instance });
    ancient.journal.record(ids[0]!, Date.now() - 26 * DAY);
    await ancient.journal.close();
    const noise = join(slot.journalDir, "1", "0000000007.seg");
    writeFileSync(noise, new Uint8Array(20_000).fill(7));
    const { flusher } = flusherOf(slot.journalDir);
    let retired = 0;
    for (const path of [foreign.opened[0]!, ancient.opened[0]!, noise]) {
      flusher.add({ path, final: true, position: null }, () => (retired += 1));
    }
    expect(await added(() => flusher.flush())).toEqual([0, 0, 0, 0, 0]);
    expect(retired).toBe(3);
    expect(readdirSync(join(slot.journalDir, "quarantine"))).toHaveLength(3);
    expect(readdirSync(slot.dir)).toEqual([]);
  });

  test("an old journal that has a row is counted", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    const past = Date.now() - 100 * DAY;
    journal.record(ids[0]!, past);
    const before = flusherOf(slot.journalDir, { now: past });
    before.flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    await before.flusher.flush();
    journal.record(ids[1]!, past + 1);
    await journal.close();
    const { flusher } = flusherOf(slot.journalDir);
    flusher.add({ path: opened[0]!, final: true, position: null }, () => {});
    expect(await added(() => flusher.flush())).toEqual([0, 1, 0, 0, 0]);
  });

  test("a segment that was cut off is reported when its whole clicks are counted", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    for (let at = 0; at < 600; at++) journal.record(ids[at % 2]!, Date.now());
    await journal.close();
    truncateSync(opened[0]!, FIRST_RECORD + 100 * 16);
    const { flusher, errors } = flusherOf(slot.journalDir);
    flusher.add({ path: opened[0]!, final: true, position: null }, () => {});
    expect(await added(() => flusher.flush())).toEqual([50, 50, 0, 0, 0]);
    expect(errors).toEqual(["a click journal was cut off; its last clicks may be lost"]);
  });

  test("an unreadable file does not block the others", async () => {
    const slot = openSlot();
    const { journal, opened } = await openJournal({ ...slot, instance });
    journal.record(ids[0]!, Date.now());
    await journal.close();
    const unreadable = join(slot.dir, "0000000000.folder");
    mkdirSync(unreadable);
    const { flusher } = flusherOf(slot.journalDir);
    flusher.add({ path: unreadable, final: true, position: null }, () => {});
    flusher.add({ path: join(slot.dir, "missing.seg"), final: true, position: null }, () => {});
    flusher.add({ path: opened[0]!, final: true, position: null }, () => {});
    expect(await added(() => flusher.flush().catch(() => {}))).toEqual([1, 0, 0, 0, 0]);
    await expect(flusher.flush()).rejects.toThrow();
  });

  test("old rows of deleted segments are removed, the others stay", async () => {
    const [old, young] = [crypto.randomUUID(), crypto.randomUUID()];
    const now = Date.now();
    await database.dialect.insertMany(database.write, "journals", [
      { id: old, position: 1, updated_at: now - 31 * DAY },
      { id: young, position: 1, updated_at: now - 29 * DAY },
    ]);
    await repository.forgetBefore(now - 30 * DAY);
    expect(await repository.readPosition(old)).toBeNull();
    expect(await repository.readPosition(young)).toBe(1);
  });
});

function chunks(ids: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(ids.length / 500) }, (_, at) => ids.slice(at * 500, (at + 1) * 500));
}
