/**
 * Compares every response with sums made from the clicks, on every database, for random clicks and ranges around the
 * edges of hours, days, weeks, months and years. Rollups are those of `analytics rebuild`.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { forEachDialect, WITHOUT_MYSQL } from "../../platform/db/for-each-dialect.test-support.ts";
import { parseAgent } from "../../lib/agents.ts";
import type { Visitors } from "../../lib/visitors.ts";
import type { DateRange } from "./range.ts";
import {
  type AnalyticsRoom,
  byHand,
  CHROME,
  GOOGLEBOT,
  IPHONE,
  NOW,
  openAnalytics,
  type TestClick,
} from "./analytics.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { DAY_MS, HOUR_MS, UNITS } from "../rollups/time-buckets.ts";

const CLICKS = 1_200;
const RANGES = 10;

type Random = ReturnType<typeof createRandom>;

function randomClicks({ pick, instant, next }: Random, links: readonly number[]): TestClick[] {
  const places = [
    { country: null, city: null },
    { country: "DE", city: null },
    { country: "DE", city: "Köln" },
    { country: "US", city: "New York" },
  ];
  const sources: Pick<TestClick, "source" | "columns">[] = [
    ...["direct", "ref:a.example", "ref:b.example", "a.example", "newsletter", "Ünïcode"].map((source) => ({
      source,
    })),
    { source: "direct", columns: { utm_source: "direct" } },
    { source: "direct", columns: { utm_source: "newsletter" } },
    { source: "ref:a.example", columns: { utm_source: "ref:a.example" } },
  ];
  return Array.from({ length: CLICKS }, () => ({
    linkId: links[Math.min(next(links.length), next(links.length))]!,
    at: instant(),
    ...pick(sources),
    userAgent: pick([null, CHROME, IPHONE, GOOGLEBOT]),
    automated: pick([true, false, false]),
    ...pick(places),
  }));
}

function randomRange({ pick, instant, next }: Random): DateRange {
  const start = instant();
  const lengths = [0, 1, HOUR_MS, DAY_MS, 8 * DAY_MS, 45 * DAY_MS, 360 * DAY_MS];
  const end = pick([() => instant(), () => start + next(pick(lengths) + 1), () => NOW])();
  return start <= end ? { start, end } : { start: end, end: start };
}

const withoutZeros = ({ labels, values }: { labels: string[]; values: number[] }): Record<string, number> =>
  Object.fromEntries(
    labels.map((label, at) => [label, values[at]!] as const).filter(([, count]) => count > 0),
  );
const pairs = <T extends { clicks: number }>(list: readonly T[], name: (item: T) => string) =>
  list.map((item): [string, number] => [name(item), item.clicks]);
const percent = (part: number, whole: number): number => Math.round((part / whole) * 10_000) / 100;

const name = (item: { name: string }): string => item.name;
const place = (item: { country: string; city: string | null }): string => `${item.country}\t${item.city}`;
/** Each of the few agents is in thousands of clicks. */
const parsed = new Map([CHROME, IPHONE, GOOGLEBOT].map((agent) => [agent, parseAgent(agent)]));
const agentPart = (part: "browser" | "os" | "device") => (click: TestClick) =>
  click.userAgent ? parsed.get(click.userAgent)![part] : null;

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  let all: TestClick[];
  const codes = new Map<number, string>();
  const random = createRandom(20_261_120);

  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb({ threads: dialect.name === "sqlite" }));
    for (let at = 0; at < 5; at++) codes.set(await room.addLink(`code/${at}`), `code/${at}`);
    all = randomClicks(random, [...codes.keys()]);
  });

  const VISITORS = ["all", "human", "automated"] as const;
  const ofVisitors = (visitors: Visitors): TestClick[] =>
    all.filter(({ automated }) => visitors === "all" || (visitors === "automated") === automated);

  async function compareTotals(range: DateRange, visitors: Visitors): Promise<void> {
    const { analytics } = room;
    const clicks = ofVisitors(visitors);
    for (const unit of UNITS) {
      if (unit === "hour" && range.end - range.start > 60 * DAY_MS) continue;
      const trend = await analytics.trend(range, unit, { visitors });
      expect(withoutZeros(trend)).toEqual(byHand.trend(clicks, range, unit));
      expect(trend.values).toEqual(
        { ...trend, all: trend.human.map((n, at) => n + trend.automated[at]!) }[visitors],
      );
    }
    const top = await analytics.top(range, 100, { visitors });
    expect(pairs(top, (item) => item.code)).toEqual(
      byHand.counts(clicks, range, (click) => codes.get(click.linkId)!),
    );
    const total = byHand.clicks(clicks, range);
    const referrers = await analytics.referrers(range, 100, { visitors });
    expect(pairs(referrers, (item) => item.referrer)).toEqual(byHand.counts(clicks, range, byHand.referrer));
    for (const item of referrers) expect(item.percentage).toBe(percent(item.clicks, total));
    const places = await analytics.places(range, 100, { visitors });
    expect(pairs(places, place).sort()).toEqual(
      byHand
        .counts(clicks, range, (click) =>
          click.country ? place({ country: click.country, city: click.city ?? null }) : null,
        )
        .sort(),
    );
    for (const item of places) expect(item.percentage).toBe(percent(item.clicks, total));
    const devices = await analytics.devices(range, 20, { visitors });
    const withAgent = clicks.filter((click) => click.userAgent);
    expect(devices.total).toBe(byHand.clicks(withAgent, range));
    expect(pairs(devices.browsers, name)).toEqual(byHand.counts(clicks, range, agentPart("browser")));
    expect(pairs(devices.systems, name)).toEqual(byHand.counts(clicks, range, agentPart("os")));
    expect(pairs(devices.devices, name)).toEqual(byHand.counts(clicks, range, agentPart("device")));
    const bots = withAgent.filter((click) => click.userAgent === GOOGLEBOT);
    const share = devices.total === 0 ? 0 : percent(byHand.clicks(bots, range), devices.total);
    expect(devices.botPercentage).toBe(share);
  }

  async function compareLink(range: DateRange, id: number, visitors: Visitors = "all"): Promise<void> {
    const own = ofVisitors(visitors).filter((click) => click.linkId === id);
    const code = codes.get(id)!;
    const report = await room.analytics.link(code, range, { visitors });
    expect(report.clicks).toBe(byHand.clicks(own, range));
    expect(withoutZeros(report.trend)).toEqual(byHand.trend(own, range, "day"));
    expect(pairs(report.referrers, (item) => item.referrer)).toEqual(
      byHand.counts(own, range, byHand.referrer),
    );
    const places = byHand.counts(own, range, (click) => click.country ?? null);
    expect(report.places.reduce((sum, item) => sum + item.clicks, 0)).toBe(
      places.reduce((sum, [, count]) => sum + count, 0),
    );
    const devices = await room.analytics.devices(range, 20, { visitors, key: code });
    expect(pairs(devices.systems, (item) => item.name)).toEqual(byHand.counts(own, range, agentPart("os")));
  }

  describe("reports equal the clicks", () => {
    test("while all hours exist", async () => {
      room.retention.hourlyDays = 3_000;
      const report = await room.record(all);
      expect(report).toMatchObject({ clicks: CLICKS, kept: 0 });
      for (let at = 0; at < RANGES; at++) {
        const range = randomRange(random);
        for (const visitors of VISITORS) {
          await compareTotals(range, visitors);
          await compareLink(range, random.pick([...codes.keys()]), visitors);
        }
      }
    });

    test("when a second rebuild finds nothing to raise", async () => {
      const before = await room.analytics.referrers({ start: 0, end: NOW }, 100);
      expect((await room.record([])).raised).toBe(0);
      expect(await room.analytics.referrers({ start: 0, end: NOW }, 100)).toEqual(before);
    });

    test("from raw rows when the hours are deleted", async () => {
      await room.database.write.deleteFrom("click_hours").execute();
      await room.database.write.deleteFrom("click_dim_hours").execute();
      for (let at = 0; at < RANGES; at++) {
        const range = randomRange(random);
        const visitors = random.pick(VISITORS);
        const clicks = ofVisitors(visitors);
        const trend = await room.analytics.trend(range, "day", { visitors });
        expect(withoutZeros(trend)).toEqual(byHand.trend(clicks, range, "day"));
        const top = await room.analytics.top(range, 100, { visitors });
        expect(top.reduce((sum, item) => sum + item.clicks, 0)).toBe(byHand.clicks(clicks, range));
        await compareLink(range, random.pick([...codes.keys()]), visitors);
      }
    });

    test("by whole days when the raw rows are deleted too", async () => {
      await room.database.write.deleteFrom("click_log").execute();
      for (let at = 0; at < RANGES; at++) {
        const { start, end } = randomRange(random);
        const visitors = random.pick(VISITORS);
        const counted = ofVisitors(visitors).filter(({ at: instant }) => {
          const day = instant - (instant % DAY_MS);
          // A part of a day counts the whole day, unless it is one instant only.
          return Math.min(end, day + DAY_MS - 1) > Math.max(start, day);
        });
        const trend = await room.analytics.trend({ start, end }, "day", { visitors });
        expect(withoutZeros(trend)).toEqual(byHand.trend(counted, { start: 0, end: NOW }, "day"));
      }
    });
  });
}, WITHOUT_MYSQL);
