import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Database, openDatabase } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createClicksRepository } from "./repository.ts";
import { addLinks, clicksOf, NO_DETAILS, openJournal, temporaryFolder } from "../clicks.test-support.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../database-proxy.test-support.ts";
import type { Journal } from "../journal/journal.ts";
import type { SettledClicks } from "./source.ts";
import { createFlusher } from "./flush.ts";

const record = (journal: Pick<Journal, "recordDetails">, link: number, times: number) => {
  const sent = { referrer: "https://a.example/", userAgent: "curl/8.5.0", address: "192.0.2.1" };
  for (let at = 0; at < times; at++) journal.recordDetails(link, Date.now(), { ...NO_DETAILS, ...sent });
};

/** Everything that the flush wrote about a link. It must agree. */
async function writtenOf(database: Database, link: number): Promise<Record<string, number>> {
  const sum = async (table: "click_hours" | "click_days" | "click_months" | "click_dim_days") => {
    const query = database.read.selectFrom(table).select((eb) => eb.fn.sum<number>("clicks").as("clicks"));
    return Number((await query.where("link_id", "=", link).executeTakeFirst())?.clicks ?? 0);
  };
  const rows = await database.read.selectFrom("click_log").select("id").where("link_id", "=", link).execute();
  return {
    hours: await sum("click_hours"),
    days: await sum("click_days"),
    months: await sum("click_months"),
    // By source, agent, referrer and channel.
    values: (await sum("click_dim_days")) / 4,
    log: rows.length,
  };
}

const all = (clicks: number) => ({
  hours: clicks,
  days: clicks,
  months: clicks,
  values: clicks,
  log: clicks,
});

forEachDialect((dialect) => {
  const folder = temporaryFolder();
  let folders = 0;
  const isServer = dialect.name !== "sqlite";
  let direct: Database;

  beforeAll(async () => {
    direct = await dialect.openDb();
  });

  /** Runs a test with the database behind a proxy that can be cut. */
  const overWire = (run: (wired: Database, proxy: DatabaseProxy) => Promise<void>) => async () => {
    const proxy = await openDatabaseProxy(dialect.url());
    const wired = await openDatabase(
      { url: proxy.url, poolSize: 1 },
      { threads: false, logger: silentLogger },
    );
    try {
      await run(wired, proxy);
    } finally {
      await wired.close();
      proxy.close();
    }
  };

  const start = async (database: Database) => {
    const journalDir = join(folder, String(++folders));
    const repository = createClicksRepository(database);
    const instance = await createClicksRepository(direct).instance();
    const { journal, opened } = await openJournal({ dir: join(journalDir, "0"), instance });
    const books = { stored: 0, deleted: 0 };
    const onSettled = (part: SettledClicks) => {
      books.stored += part.stored;
      books.deleted += part.deleted;
    };
    const clock = { now: () => Date.now() };
    const flusher = createFlusher({
      repository,
      instance,
      journalDir,
      clock,
      logger: silentLogger,
      onSettled,
    });
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    const [link, gone] = await addLinks(direct, 2);
    return { journal, flusher, books, link: link!, gone: gone! };
  };

  if (isServer)
    test(
      "a commit whose response is lost is counted once",
      overWire(async (wired, proxy) => {
        for (const flushedBefore of [false, true]) {
          const { journal, flusher, books, link, gone } = await start(wired);
          if (flushedBefore) {
            record(journal, link, 3);
            await flusher.flush();
          }
          record(journal, link, 5);
          record(journal, gone, 2);
          await direct.write.deleteFrom("links").where("id", "=", gone).execute();
          const lost = proxy.lost();
          proxy.loseNextCommit();
          await expect(flusher.flush()).rejects.toThrow();
          expect(proxy.lost()).toBe(lost + 1);
          // It was committed.
          expect(await clicksOf(direct, [link])).toEqual([flushedBefore ? 8 : 5]);
          record(journal, link, 1);
          await flusher.flush();
          expect(await clicksOf(direct, [link])).toEqual([flushedBefore ? 9 : 6]);
          expect(books).toEqual({ stored: flushedBefore ? 9 : 6, deleted: 2 });
          expect(await writtenOf(direct, link)).toEqual(all(flushedBefore ? 9 : 6));
          await journal.close();
        }
      }),
    );

  if (isServer)
    test(
      "clicks wait while the server is away and are counted when it returns",
      overWire(async (wired, proxy) => {
        const { journal, flusher, books, link } = await start(wired);
        record(journal, link, 2);
        await flusher.flush();
        proxy.cut();
        for (let times = 1; times <= 3; times++) {
          record(journal, link, 10);
          await expect(flusher.flush()).rejects.toMatchObject({ name: "ServiceUnavailable" });
        }
        expect(books.stored).toBe(2);
        proxy.heal();
        await flusher.flush();
        expect(await clicksOf(direct, [link])).toEqual([32]);
        expect(books.stored).toBe(32);
        expect(await writtenOf(direct, link)).toEqual(all(32));
        await journal.close();
      }),
    );

  if (!isServer)
    test("clicks wait while the file is missing and are counted when it returns", async () => {
      const { journal, flusher, books, link } = await start(direct);
      record(journal, link, 2);
      await flusher.flush();
      // A table without write access stands for a file without.
      await direct.write.schema.alterTable("link_clicks").renameTo("link_clicks_away").execute();
      record(journal, link, 10);
      await expect(flusher.flush()).rejects.toThrow();
      expect(books.stored).toBe(2);
      await direct.write.schema
        .alterTable("link_clicks_away" as "link_clicks")
        .renameTo("link_clicks")
        .execute();
      await flusher.flush();
      expect(await clicksOf(direct, [link])).toEqual([12]);
      expect(books.stored).toBe(12);
      expect(await writtenOf(direct, link)).toEqual(all(12));
      await journal.close();
    });
});
