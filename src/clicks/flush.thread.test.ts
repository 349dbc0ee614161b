import { expect, test } from "bun:test";
import { join } from "node:path";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../lib/logger.ts";
import { createClicksRepository } from "./flush/repository.ts";
import { addLinks, clicksOf, openJournal, segmentOf, temporaryFolder } from "./clicks.test-support.ts";
import { startFlushThread } from "./flush.thread.ts";
import { until } from "../../test/support/until.ts";

forEachDialect((dialect) => {
  const folder = temporaryFolder();

  test("a flush thread that dies is replaced, and the books stay correct", async () => {
    const database = await dialect.openDb();
    const [link] = await addLinks(database, 1);
    const instance = await createClicksRepository(database).instance();
    const journalDir = join(folder, "journal");
    const ownDir = join(journalDir, "0");
    const { journal, opened } = await openJournal({
      dir: ownDir,
      instance,
      segmentBytes: segmentOf(100_000),
    });
    let stored = 0;
    const thread = await startFlushThread({
      database: { url: dialect.url(), poolSize: 1 },
      instance,
      journalDir,
      ownDir,
      intervalMs: 20,
      geo: { maxminddbPath: null, geoipApiUrl: null },
      details: { locates: false, mostLogRows: 0, addresses: "full" },
      logLevel: "silent",
      leftovers: [],
      logger: silentLogger,
      onSettled: (settled) => (stored += settled.stored),
      onRetired() {},
      onReport() {},
    });
    thread.opened(opened[0]!);
    thread.begin();
    let recorded = 0;
    for (let deaths = 0; deaths < 2; deaths++) {
      for (let round = 0; round < 20; round++) {
        for (let at = 0; at < 500; at++) journal.record(link!, Date.now());
        recorded += 500;
        await Bun.sleep(2);
      }
      thread.crash();
      await until(() => stored === recorded);
    }
    await thread.flush();
    expect(stored).toBe(recorded);
    expect(await clicksOf(database, [link!])).toEqual([recorded]);
    await thread.close(5000);
    await journal.close();
  });
});
