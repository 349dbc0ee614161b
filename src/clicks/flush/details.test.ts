/** Details from journal to database, compared with sums of the clicks. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { deletionIn } from "../../links/links.test-support.ts";
import { deleteLinks } from "../../links/write/rows.repository.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { CHROME, GOOGLEBOT, IPHONE, NOW } from "../analytics/analytics.test-support.ts";
import { createClicksRepository } from "./repository.ts";
import {
  addLinks,
  automatedOf,
  clicksOf,
  openJournal,
  segmentOf,
  temporaryFolder,
  NO_DETAILS,
} from "../clicks.test-support.ts";
import { parseAgent } from "../../lib/agents.ts";
import type { AddressMode } from "../../lib/kept-address.ts";
import { createDetailsParser } from "../details/details.ts";
import { createRebuild } from "../rollups/rebuild.ts";
import { OTHER } from "../rollups/dimensions.ts";
import type { SettledClicks } from "./source.ts";
import { createFlusher } from "./flush.ts";
import { PLACES, readSums, type SentVisit, sumsByHand } from "./details.test-support.ts";
import type { Journal } from "../journal/journal.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS, HOUR_MS } from "../rollups/time-buckets.ts";

const ROLLUPS = [
  "click_log",
  "click_hours",
  "click_days",
  "click_months",
  "click_dim_hours",
  "click_dim_days",
  "click_dim_months",
  "user_agents",
  "click_values",
] as const;

forEachDialect((dialect) => {
  const folder = temporaryFolder();
  let folders = 0;
  let database: Database;
  let instance: string;
  let links: number[];

  beforeAll(async () => {
    database = await dialect.openDb();
    instance = await createClicksRepository(database).instance();
    links = await addLinks(database, 5);
  });
  beforeEach(async () => {
    for (const table of ROLLUPS) await database.write.deleteFrom(table).execute();
  });

  async function start(
    options: {
      batchClicks?: number;
      batchDetails?: number;
      mostLogRows?: number;
      addresses?: AddressMode;
    } = {},
  ) {
    const { mostLogRows = 0, addresses: addressMode = "full", ...sizes } = options;
    const journalDir = join(folder, String(++folders));
    const dir = join(journalDir, "0");
    const { journal, opened } = await openJournal({ dir, instance, segmentBytes: segmentOf(200_000) });
    const settled: SettledClicks[] = [];
    const flusher = createFlusher({
      repository: createClicksRepository(database),
      instance,
      journalDir,
      clock: { now: () => NOW },
      logger: silentLogger,
      onSettled: (part) => settled.push(part),
      parser: createDetailsParser({
        addresses: () => addressMode,
        places: async (addresses) =>
          new Map(
            [...addresses].flatMap((address) => {
              const place = PLACES.get(address);
              return place === undefined ? [] : [[address, place] as const];
            }),
          ),
      }),
      mostLogRows: () => mostLogRows,
      ...sizes,
    });
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    const books = () => {
      const sum = { stored: 0, deleted: 0, details: { logged: 0, stopped: 0, deleted: 0 } };
      for (const { stored, deleted, details } of settled) {
        sum.stored += stored;
        sum.deleted += deleted;
        sum.details.logged += details.logged;
        sum.details.stopped += details.stopped;
        sum.details.deleted += details.deleted;
      }
      return sum;
    };
    return { journal, flusher, books };
  }

  const record = (journal: Journal, { link, at, utm, agent, automated, ...sent }: SentVisit) => {
    const details = { ...NO_DETAILS, ...sent, utmSource: utm ?? null, userAgent: agent ?? null };
    expect(journal.recordDetails(link, at, details, automated)).toBe(true);
  };

  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
  const maybe = <T>(list: readonly T[]): T | undefined => (Math.random() < 0.3 ? undefined : pick(list));
  const visitsOf = (count: number): SentVisit[] =>
    Array.from({ length: count }, () => ({
      link: pick(links),
      automated: Math.random() < 0.3,
      at: pick([
        NOW,
        NOW - HOUR_MS,
        NOW - DAY_MS,
        Date.UTC(2025, 11, 31, 23, 59, 59, 999),
        Date.UTC(2026, 0, 1),
      ]),
      ...Object.fromEntries(
        Object.entries({
          referrer: maybe(["https://a.example/x", "https://b.example/?q=1", "https://sub.a.example"]),
          utm: Math.random() < 0.8 ? undefined : pick(["mail", "caf%C3%A9", "direct", "ref:a.example"]),
          agent: maybe([CHROME, IPHONE, GOOGLEBOT]),
          address: maybe(["81.2.69.1", "89.160.20.9", "2001:db8::1"]),
          language: maybe(["de-AT,de;q=0.9", "en", "*"]),
          campaign: maybe(["utm_source=x&utm_medium=email", "utm_campaign=a&utm_term=b&utm_content=c"]),
          rule: maybe([1, 32]),
        }).filter(([, value]) => value !== undefined),
      ),
    }));

  test("rollups equal the sums of the clicks for any transaction size", async () => {
    const { journal, flusher, books } = await start({ batchClicks: 170, batchDetails: 90 });
    const before = await automatedOf(database, links);
    const visits = visitsOf(1000);
    const plain = visitsOf(300);
    for (const [at, visit] of visits.entries()) {
      record(journal, visit);
      if (at < plain.length) journal.record(plain[at]!.link, plain[at]!.at, plain[at]!.automated);
      if (at % 400 === 0) await flusher.flush();
    }
    await flusher.flush();
    expect(books()).toEqual({ stored: 1300, deleted: 0, details: { logged: 1000, stopped: 0, deleted: 0 } });
    expect(await readSums(database)).toEqual(sumsByHand(visits, plain));
    const after = await automatedOf(database, links);
    const automated = [...visits, ...plain].filter((visit) => visit.automated);
    expect(after.map((count, at) => count - before[at]!)).toEqual(
      links.map((id) => automated.filter(({ link }) => link === id).length),
    );
    const rows = await database.read.selectFrom("click_log").selectAll().execute();
    expect(rows).toHaveLength(1000);
    const ofLink = (list: readonly { at: number }[]) => list.map(({ at }) => at).sort();
    expect(rows.map((row) => row.clicked_at).sort()).toEqual(ofLink(visits));
    expect(
      (await database.read.selectFrom("user_agents").select("text").execute()).map(({ text }) => text).sort(),
    ).toEqual([CHROME, IPHONE, GOOGLEBOT].sort());
    await journal.close();
  });

  test("a rebuild from the raw rows gives the same sums", async () => {
    const { journal, flusher } = await start();
    const visits = visitsOf(300);
    for (const visit of visits) record(journal, visit);
    await flusher.flush();
    const flushed = await readSums(database);
    expect(flushed).toEqual(sumsByHand(visits));
    for (const table of ROLLUPS.filter((name) => name.startsWith("click_dim")))
      await database.write.deleteFrom(table).execute();
    const rebuild = createRebuild({
      database,
      maintenance: { alone: (work) => work(new AbortController().signal) },
      clock: { now: () => NOW },
      describeAgent: parseAgent,
      hourlyRetentionDays: () => 1000,
    });
    await rebuild.run({ from: null, to: null }, () => {});
    expect(await readSums(database)).toEqual(flushed);
    await journal.close();
  });

  test("a raw row has the visitor's values, cleaned", async () => {
    const { journal, flusher } = await start();
    const [link] = links;
    record(journal, {
      link: link!,
      at: NOW,
      referrer: "https://a.example/x",
      agent: CHROME,
      address: "::ffff:81.2.69.1",
      language: "de-at,en;q=0.5",
      campaign:
        "utm_campaign=Fr%C3%BChling+26&utm_source=&utm_medium=Email&utm_source=own&utm_term=%00&utm_id=1",
      rule: 2,
    });
    record(journal, {
      link: link!,
      at: NOW + 1,
      utm: "%F0%9F%98%80%00+x%ff",
      referrer: "\x00\x1b[31m",
      address: "unix",
    });
    await flusher.flush();
    const [agent] = await database.read.selectFrom("user_agents").selectAll().execute();
    const [first, second] = await database.read
      .selectFrom("click_log")
      .selectAll()
      .orderBy("clicked_at")
      .execute();
    expect(first).toEqual({
      id: expect.any(Number),
      link_id: link!,
      automated: 0,
      clicked_at: NOW,
      referrer: "https://a.example/x",
      source: "ref:a.example",
      ip_address: "81.2.69.1",
      country: "GB",
      city: "London",
      user_agent_id: agent!.id,
      referrer_host: "a.example",
      utm_source: "own",
      utm_medium: "Email",
      utm_campaign: "Frühling 26",
      utm_term: null,
      utm_content: null,
      language: "de-AT",
      channel: "mail",
      rule: "2",
    });
    expect(second).toMatchObject({ referrer: "[31m", source: "😀 x", ip_address: null, user_agent_id: null });
    expect(second).toMatchObject({
      referrer_host: null,
      utm_source: "😀 x",
      language: null,
      channel: "campaign",
    });
    await journal.close();
  });

  test("addresses are located whole, and kept as the settings say", async () => {
    for (const [addresses, kept] of [
      ["truncated", "81.2.69.0"],
      ["none", null],
    ] as const) {
      const { journal, flusher } = await start({ addresses });
      record(journal, { link: links[0]!, at: NOW, address: "81.2.69.1" });
      await flusher.flush();
      const rows = await database.read.selectFrom("click_log").select(["ip_address", "city"]).execute();
      expect([addresses, rows.at(-1)]).toEqual([addresses, { ip_address: kept, city: "London" }]);
      await database.write.deleteFrom("click_log").execute();
      await journal.close();
    }
  });

  test("an address that serves only to find its place is not kept, whatever the settings say by now", async () => {
    const { journal, flusher } = await start({ addresses: "full" });
    for (const address of ["~81.2.69.1", "~::ffff:81.2.69.1", "~unix"])
      record(journal, { link: links[0]!, at: NOW, address });
    await flusher.flush();
    const rows = await database.read.selectFrom("click_log").select(["ip_address", "city"]).execute();
    expect(rows.slice(-3)).toEqual([
      { ip_address: null, city: "London" },
      { ip_address: null, city: "London" },
      { ip_address: null, city: null },
    ]);
    await database.write.deleteFrom("click_log").execute();
    await journal.close();
  });

  test("many values stay within the bounds over several flushes and processes", async () => {
    const one = await start({ batchDetails: 300 });
    const other = await start();
    const [link] = links;
    for (let at = 0; at < 2600; at++) {
      const { journal } = at % 2 === 0 ? one : other;
      record(journal, {
        link: link!,
        at: NOW,
        referrer: `https://host-${at}.example/`,
        agent: `Tool${at}/1.0`,
        automated: at % 4 < 2,
      });
      if (at === 100) await one.flusher.flush();
    }
    await Promise.all([one.flusher.flush(), other.flusher.flush()]);
    for (let again = 0; again < 10; again++)
      record(one.journal, { link: link!, at: NOW, referrer: "https://host-0.example/" });
    await one.flusher.flush();
    const { dimDays, dimHours, dimMonths } = await readSums(database);
    const day = Math.floor(NOW / DAY_MS);
    const hour = Math.floor(NOW / HOUR_MS);
    for (const [rows, prefix, bound] of [
      [dimDays, `${day} ${link} 1 `, 100],
      [dimDays, `${day} 0 1 `, 1000],
      [dimHours, `${hour} 1 `, 1000],
      [dimMonths, `${UTC.month.of(NOW)} 0 1 `, 1000],
    ] as const) {
      const mine = Object.entries(rows).filter(([key]) => key.startsWith(prefix));
      expect(mine).toHaveLength(bound + 1);
      expect(mine.reduce((sum, [, [clicks]]) => sum + clicks, 0)).toBe(2610);
      expect(mine.reduce((sum, [, [, automated]]) => sum + automated, 0)).toBe(1300);
      // A value counted apart stays apart.
      expect(rows[`${prefix}host-0.example`]![0]).toBe(11);
      expect(rows[`${prefix}${OTHER}`]![0]).toBe(
        2610 - mine.filter(([key]) => !key.endsWith(OTHER)).reduce((sum, [, [clicks]]) => sum + clicks, 0),
      );
    }
    expect((await database.read.selectFrom("click_log").select("id").execute()).length).toBe(2610);
    await one.journal.close();
    await other.journal.close();
  });

  test("clicks of a link deleted before their count have all rows, by its code", async () => {
    const [gone] = await addLinks(database, 1);
    const { journal, flusher, books } = await start();
    const visits = visitsOf(20).map((visit) => ({ ...visit, link: gone! }));
    for (const visit of visits) record(journal, visit);
    await database.transaction((tx) => deleteLinks(tx, "id", [gone!], deletionIn(database, NOW)));
    await flusher.flush();
    expect(books()).toEqual({ stored: 20, deleted: 0, details: { logged: 20, stopped: 0, deleted: 0 } });
    expect(await readSums(database)).toEqual(sumsByHand(visits));
    const kept = database.read.selectFrom("deleted_links").select(["clicks", "automated"]);
    expect(await kept.where("link_id", "=", gone!).execute()).toEqual([
      { clicks: 20, automated: visits.filter((visit) => visit.automated).length },
    ]);
    await journal.close();
  });

  test("clicks of an unknown link have neither counts nor details; others of the flush have both", async () => {
    const [gone] = await addLinks(database, 1);
    const { journal, flusher, books } = await start();
    const visits = visitsOf(50);
    for (const visit of visits) {
      record(journal, visit);
      record(journal, { ...visit, link: gone! });
    }
    await database.write.deleteFrom("links").where("id", "=", gone!).execute();
    await flusher.flush();
    expect(books()).toEqual({ stored: 50, deleted: 50, details: { logged: 50, stopped: 0, deleted: 50 } });
    expect(await readSums(database)).toEqual(sumsByHand(visits));
    await journal.close();
  });

  test("no more rows than the bound are stored, while counts continue", async () => {
    const { journal, flusher, books } = await start({ mostLogRows: 30, batchDetails: 20 });
    const before = await clicksOf(database, links);
    const visits = visitsOf(100);
    for (const visit of visits) record(journal, visit);
    await flusher.flush();
    expect(books()).toEqual({ stored: 100, deleted: 0, details: { logged: 30, stopped: 70, deleted: 0 } });
    expect((await database.read.selectFrom("click_log").select("id").execute()).length).toBe(30);
    const after = await clicksOf(database, links);
    expect(after.reduce((sum, clicks, at) => sum + clicks - before[at]!, 0)).toBe(100);
    const { days, dimDays } = await readSums(database);
    expect(days).toEqual(sumsByHand(visits).days);
    const referrers = Object.entries(dimDays).filter(([key]) => / 0 1 /.test(key));
    expect(referrers.reduce((sum, [, [clicks]]) => sum + clicks, 0)).toBe(30);
    await journal.close();
  });

  test("a value deleted by retention returns with the next day's click", async () => {
    const { journal, flusher } = await start();
    const visit = { link: links[0]!, at: NOW, referrer: "https://a.example/", agent: CHROME };
    record(journal, visit);
    await flusher.flush();
    await database.write.deleteFrom("click_values").execute();
    await database.write.deleteFrom("user_agents").execute();
    record(journal, { ...visit, at: NOW + DAY_MS });
    await flusher.flush();
    const { dimDays } = await readSums(database);
    expect(dimDays[`${Math.floor(NOW / DAY_MS) + 1} 0 1 a.example`]).toEqual([1, 0]);
    const row = await database.read
      .selectFrom("click_log")
      .innerJoin("user_agents", "user_agents.id", "click_log.user_agent_id")
      .select("user_agents.text")
      .where("clicked_at", "=", NOW + DAY_MS)
      .executeTakeFirst();
    expect(row?.text).toBe(CHROME);
    await journal.close();
  });
});
