import { clickConfig } from "./settings.test-support.ts";
import { beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../platform/db/database.ts";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { systemClock } from "../lib/clock.ts";
import { silentLogger } from "../lib/logger.ts";
import { type ClickLimits, type ClickStats, createClicks } from "./clicks.ts";
import { addLinks, automatedOf, clicksOf, segmentOf, temporaryFolder } from "./clicks.test-support.ts";
import { type DatabaseProxy, openDatabaseProxy } from "./database-proxy.test-support.ts";
import { createClicksRepository } from "./flush/repository.ts";
import { listSegments } from "./journal/segment.ts";
import { until } from "../../test/support/until.ts";

type Config = { enabled: boolean; flushInterval: number; maxClicksBeforeFlush: number };

const NEVER = { enabled: true, flushInterval: 3600, maxClicksBeforeFlush: 1e9 };

const balanced = (stats: ClickStats): boolean =>
  stats.accepted ===
  stats.stored + stats.pending + Object.values(stats.dropped).reduce((sum, lost) => sum + lost, 0);

/** `expect().rejects` blocks the loop, and with it the messages of the flush thread. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "it succeeded",
    (error: unknown) => error,
  );

const record = (clicks: { record(link: number, at: number): void }, link: number, times: number): void => {
  for (let at = 0; at < times; at++) clicks.record(link, Date.now());
};

forEachDialect((dialect) => {
  const folder = temporaryFolder();
  let folders = 0;
  let database: Database;
  let instance: string;

  beforeAll(async () => {
    database = await dialect.openDb();
    instance = await createClicksRepository(database).instance();
  });

  const freshDir = () => join(folder, String(++folders));

  const open = (
    dataDir: string,
    config: Config = NEVER,
    limits: Partial<ClickLimits> = {},
    url = dialect.url(),
  ) =>
    createClicks({
      settings: { url, poolSize: 2 },
      instance,
      dataDir,
      config: clickConfig(config),
      logger: silentLogger,
      clock: systemClock,
      limits: { segmentBytes: segmentOf(5000), ...limits },
    });

  test("a segment that cannot be removed at the end does not block counting or closing", async () => {
    const [link] = await addLinks(database, 1);
    const dataDir = freshDir();
    const clicks = await open(dataDir);
    record(clicks, link!, 2000);
    const segments = () => listSegments(join(dataDir, "journal", "0"));
    await until(() => segments().length === 2);
    const spare = segments()[1]!;
    rmSync(spare);
    mkdirSync(spare);
    expect(await failureOf(clicks.close())).toBe("it succeeded");
    expect(await clicksOf(database, [link!])).toEqual([2000]);
  });

  test("a flush counts everything recorded before it", async () => {
    const [first, second] = await addLinks(database, 2);
    const clicks = await open(freshDir());
    // After the flush at the start only this test flushes.
    await clicks.flush();
    record(clicks, first!, 100);
    record(clicks, second!, 50);
    expect(clicks.stats()).toMatchObject({ accepted: 150, stored: 0, pending: 150 });
    expect(await clicks.pendingLinks()).toBe(2);
    expect(await Promise.all([clicks.pendingLinks(), clicks.pendingLinks()])).toEqual([2, 2]);
    for (let at = 0; at < 30; at++) clicks.record(second!, Date.now(), true);
    expect(clicks.stats().automated).toEqual({ accepted: 30, stored: 0, pending: 30, dropped: 0 });
    await clicks.flush();
    expect(await clicksOf(database, [first!, second!])).toEqual([100, 80]);
    expect(await automatedOf(database, [first!, second!])).toEqual([0, 30]);
    expect(clicks.stats().automated).toEqual({ accepted: 30, stored: 30, pending: 0, dropped: 0 });
    expect(clicks.stats()).toMatchObject({ accepted: 180, stored: 180, pending: 0, replayed: 0 });
    expect(clicks.stats().flushes["manual success"]).toBe(1);
    const lastFlush = { trigger: "manual", status: "success", clicks: 180, links: 2 };
    expect(clicks.stats().lastFlush).toMatchObject(lastFlush);
    expect(await clicks.pendingLinks()).toBe(0);
    await clicks.close();
  });

  test("a caller with a timeout gets the last known pending links, and the late reply serves the next caller", async () => {
    const links = await addLinks(database, 3);
    const clicks = await open(freshDir());
    await clicks.flush();
    // Counting so many takes longer than the bound.
    for (let at = 0; at < 5000; at++) clicks.record(links[at % 3]!, at);
    expect(await clicks.pendingLinks(0)).toBe(0);
    await until(async () => (await clicks.pendingLinks(0)) === 3);
    await clicks.close();
  });

  test("flushes after the interval, and sooner when enough clicks wait", async () => {
    const [link] = await addLinks(database, 1);
    const config = { ...NEVER, flushInterval: 0.05 };
    const clicks = await open(freshDir(), config);
    record(clicks, link!, 3);
    await until(async () => (await clicksOf(database, [link!]))[0] === 3);
    await until(() => clicks.stats().flushes["interval success"] > 0);
    Object.assign(config, NEVER, { maxClicksBeforeFlush: 50 });
    clicks.refresh();
    // Afterwards the new interval holds, and nothing else counts.
    await clicks.flush();
    record(clicks, link!, 49);
    record(clicks, link!, 20);
    await until(() => clicks.stats().stored >= 3 + 50);
    await until(() => clicks.stats().flushes["threshold success"] > 0);
    await clicks.close();
    expect(await clicksOf(database, [link!])).toEqual([72]);
  });

  test("closing counts the remaining clicks and leaves no files", async () => {
    const dataDir = freshDir();
    const [link] = await addLinks(database, 1);
    const clicks = await open(dataDir);
    for (let round = 0; round < 30; round++) {
      record(clicks, link!, 1000);
      // Meanwhile segments of 5,000 clicks follow one another.
      await Bun.sleep(1);
    }
    await clicks.close();
    expect(await clicksOf(database, [link!])).toEqual([30_000]);
    expect(clicks.stats()).toMatchObject({ accepted: 30_000, stored: 30_000, pending: 0 });
    expect(listSegments(join(dataDir, "journal", "0"))).toEqual([]);
    clicks.record(link!, Date.now());
    expect(clicks.stats().dropped.closed).toBe(1);
    expect(balanced(clicks.stats())).toBe(true);
  });

  test("switching tracking off applies at once", async () => {
    const [link] = await addLinks(database, 1);
    const config = { ...NEVER };
    const clicks = await open(freshDir(), config);
    record(clicks, link!, 2);
    config.enabled = false;
    clicks.refresh();
    record(clicks, link!, 5);
    await clicks.close();
    expect(await clicksOf(database, [link!])).toEqual([2]);
  });

  test("two processes in one data folder do not touch each other's journals", async () => {
    const dataDir = freshDir();
    const [link] = await addLinks(database, 1);
    const [one, two] = [await open(dataDir), await open(dataDir)];
    record(one, link!, 10);
    record(two, link!, 5);
    expect(readdirSync(join(dataDir, "journal")).sort()).toEqual(["0", "1"]);
    await Promise.all([one.flush(), two.flush(), one.flush()]);
    expect(await clicksOf(database, [link!])).toEqual([15]);
    record(one, link!, 1);
    record(two, link!, 1);
    await Promise.all([one.close(), two.close()]);
    expect(await clicksOf(database, [link!])).toEqual([17]);
    expect(two.stats()).toMatchObject({ accepted: 6, stored: 6, replayed: 0 });
  });

  test("clicks left by a killed process are counted by the next, in its slot and in others", async () => {
    const dataDir = freshDir();
    const [link] = await addLinks(database, 1);
    const source = `
      const { createClicks } = await import(${JSON.stringify(join(import.meta.dir, "clicks.ts"))});
      const { silentLogger } = await import(${JSON.stringify(join(import.meta.dir, "..", "lib", "logger.ts"))});
      const settings = {
        "click.enable_tracking": true, "click.flush_interval": 0.02, "click.max_clicks_before_flush": 700,
        "privacy.addresses": "full",
      };
      const config = { get: (key) => settings[key] };
      const clicks = await createClicks({
        settings: { url: ${JSON.stringify(dialect.url())}, poolSize: 2 }, dataDir: ${JSON.stringify(dataDir)}, instance: "${instance}",
        config, logger: silentLogger, clock: { now: () => Date.now() }, limits: { segmentBytes: ${segmentOf(2000)} },
      });
      for (;;) {
        for (let at = 0; at < 100; at++) clicks.record(${link}, Date.now(), at % 4 === 0);
        // Its own in the journal: it may count what the other left behind as well.
        const { accepted, overflow, replayed } = clicks.stats();
        process.stdout.write(accepted - overflow - replayed + "\\n");
        await Bun.sleep(1);
      }
    `;
    const children = [1, 2].map(() => Bun.spawn([process.execPath, "-e", source], { stdout: "pipe" }));
    const said = await Promise.all(
      children.map(async (child, at) => {
        let text = "";
        for await (const chunk of child.stdout) {
          text += new TextDecoder().decode(chunk);
          if (text.length > 2000 + at * 1000) child.kill(9);
        }
        await child.exited;
        return Number(text.slice(0, text.lastIndexOf("\n")).split("\n").at(-1));
      }),
    );
    const clicks = await open(dataDir);
    const journal = join(dataDir, "journal");
    await until(() => readdirSync(journal).flatMap((slot) => listSegments(join(journal, slot))).length === 1);
    const [counted] = await clicksOf(database, [link!]);
    expect(counted).toBeGreaterThanOrEqual(said[0]! + said[1]!);
    expect(balanced(clicks.stats())).toBe(true);
    const [automated] = await automatedOf(database, [link!]);
    // The kills hit anywhere within the last hundred of each.
    expect(Math.abs(automated! - counted! / 4)).toBeLessThan(200);
    const { accepted, stored, pending, dropped } = clicks.stats().automated;
    expect(accepted).toBe(stored + pending + dropped);
    await clicks.flush();
    expect(await clicksOf(database, [link!])).toEqual([counted!]);
    await clicks.close();
  });

  if (dialect.name !== "sqlite")
    test("clicks left by an outage at the end are counted at the next start", async () => {
      const dataDir = freshDir();
      const [link] = await addLinks(database, 1);
      const proxy: DatabaseProxy = await openDatabaseProxy(dialect.url());
      const cutOff = await open(dataDir, NEVER, { closeMs: 2000 }, proxy.url);
      record(cutOff, link!, 10);
      await cutOff.flush();
      proxy.cut();
      record(cutOff, link!, 20);
      expect(await failureOf(cutOff.flush())).toMatchObject({ name: "ServiceUnavailable" });
      expect(cutOff.stats()).toMatchObject({ accepted: 30, stored: 10, pending: 20 });
      expect(cutOff.stats().flushes["manual failed"]).toBe(1);
      await cutOff.close();
      proxy.close();
      const clicks = await open(dataDir);
      await clicks.flush();
      expect(await clicksOf(database, [link!])).toEqual([30]);
      expect(clicks.stats()).toMatchObject({ accepted: 20, replayed: 20, stored: 20, pending: 0 });
      await clicks.close();
    });

  if (dialect.name !== "sqlite")
    test("a start does not wait for a database that is away, and its clicks count when it is back", async () => {
      const [link] = await addLinks(database, 1);
      const proxy: DatabaseProxy = await openDatabaseProxy(dialect.url());
      proxy.cut();
      const clicks = await open(freshDir(), { ...NEVER, flushInterval: 0.05 }, {}, proxy.url);
      record(clicks, link!, 10);
      expect(await failureOf(clicks.flush())).toMatchObject({ name: "ServiceUnavailable" });
      expect(clicks.stats()).toMatchObject({ accepted: 10, stored: 0, pending: 10 });
      proxy.heal();
      await until(() => clicks.stats().stored === 10);
      expect(await clicksOf(database, [link!])).toEqual([10]);
      await clicks.close();
      proxy.close();
    });

  test("a start that fails frees the slot", async () => {
    const dataDir = freshDir();
    const url = dialect.name === "sqlite" ? "sqlite:/dev/null/nowhere.db" : "nowhere:";
    expect(await failureOf(open(dataDir, NEVER, {}, url))).toBeInstanceOf(Error);
    const clicks = await open(dataDir);
    expect(readdirSync(join(dataDir, "journal"))).toEqual(["0"]);
    await clicks.close();
  });
});
