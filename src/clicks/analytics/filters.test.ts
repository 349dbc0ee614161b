/** Compares reports under random filters with the same counts made in memory, on every database. */
import { beforeAll, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import type { Visitors } from "../../lib/visitors.ts";
import { type ChosenQuery, createChoice } from "../../links/list/chosen.ts";
import { createOwners } from "../../links/link/owners.repository.ts";
import { createLinkSets } from "../../links/list/link-set.repository.ts";
import { codeOf, domainOf, keyOf } from "../../links/link/key.ts";
import { parseAgent } from "../../lib/agents.ts";
import { COLUMN_DIMENSIONS, type ColumnDimension } from "../rollups/dimensions.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS, HOUR_MS } from "../rollups/time-buckets.ts";
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
import type { DateRange } from "./range.ts";
import { siteOf } from "./sites.ts";
import { REPORTS, type ReportBy } from "./report.ts";
import { FILTER_VALUES, type FilterValue, type FilterValues } from "./cuts.ts";

const CLICKS = 800;
const FILTERS = 40;
const HOSTS = new Map([
  ["go.example", 3],
  ["long.example", 12],
]);
const ACCOUNTS = new Map([
  ["anna", 5],
  ["bob", 6],
]);

type TestLink = {
  key: string;
  owner: number | null;
  tags: string[];
  title: string;
  isDeleted?: true;
};

const LINKS: TestLink[] = [
  { key: "one", owner: 5, tags: ["spring", "paper"], title: "Spring sale" },
  { key: "two", owner: 5, tags: ["spring"], title: "100% wool" },
  { key: keyOf(3, "one"), owner: 6, tags: ["paper"], title: "Spring" },
  { key: keyOf(12, "deep/path"), owner: 0, tags: [], title: "" },
  { key: keyOf(3, "three"), owner: null, tags: ["spring", "paper", "ünïcode"], title: "Ärger" },
  { key: "gone", owner: 5, tags: ["spring"], title: "Spring", isDeleted: true },
  { key: keyOf(3, "gone"), owner: 6, tags: [], title: "", isDeleted: true },
];

type Filter = { chosen: ChosenQuery; values: FilterValues; visitors: Visitors };

const hostOf = (link: TestLink): string =>
  [...HOSTS].find(([, id]) => id === domainOf(link.key))?.[0] ?? "(default)";
const ownerOf = ({ owner }: TestLink): string | null =>
  owner === 0 ? "admin" : ([...ACCOUNTS].find(([, id]) => id === owner)?.[0] ?? null);

function holds({ code, tag, domain, owner, search }: ChosenQuery, link: TestLink): boolean {
  const tags = link.isDeleted ? [] : link.tags;
  if (code !== undefined && !code.includes(codeOf(link.key))) return false;
  if (tag?.some((one) => !tags.includes(one))) return false;
  if (domain !== undefined && domain !== hostOf(link)) return false;
  if (owner !== undefined && owner !== ownerOf(link)) return false;
  if (search === undefined) return true;
  const texts = [codeOf(link.key), link.title].map((text) => text.toLowerCase());
  return !link.isDeleted && texts.some((text) => text.includes(search.toLowerCase()));
}

const agentOf = ({ userAgent }: TestClick) => (userAgent ? parseAgent(userAgent) : null);
const VALUES: Record<FilterValue, (click: TestClick) => string | null | undefined> = {
  ...(Object.fromEntries(
    COLUMN_DIMENSIONS.map((name) => [name, ({ columns }: TestClick) => columns?.[name]]),
  ) as Record<ColumnDimension, (click: TestClick) => string | null | undefined>),
  site: ({ columns }) => columns?.referrer && siteOf(columns.referrer),
  country: ({ country }) => country,
  city: ({ city }) => city,
  device: (click) => agentOf(click)?.device,
  browser: (click) => agentOf(click)?.browser,
  os: (click) => agentOf(click)?.os,
};

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  const links = new Map<number, TestLink>();
  let all: TestClick[] = [];
  const random = createRandom(4_711);
  const { next, pick, instant } = random;

  const choose = (query: ChosenQuery) =>
    createChoice(
      {
        sets: createLinkSets(room.database),
        owners: createOwners(room.database),
        domains: {
          idOf: (host) => HOSTS.get(host)!,
          list: () => [...HOSTS.values()].map((id) => ({ id })),
          stored: (key) => key,
        },
      },
      COMMAND,
    )(query);

  async function addLinks(): Promise<void> {
    const { write, dialect: sql } = room.database;
    const tags = [...new Set(LINKS.flatMap((link) => link.tags))];
    const account = { password_hash: "", role: "editor", disabled: 0, quota_bytes: 0 };
    await room.database.transaction(async (tx) => {
      await sql.insertMany(
        tx,
        "users",
        [...ACCOUNTS].map(([username, id]) => ({ id, username, ...account, created_at: 1, updated_at: 1 })),
      );
      await sql.insertMany(
        tx,
        "tags",
        tags.map((tag, at) => ({ id: at + 1, tag, links: LINKS.length })),
      );
    });
    for (const link of LINKS) {
      const id = await room.addLink(link.key);
      links.set(id, link);
      const { owner, title } = link;
      await write.updateTable("links").set({ owner_id: owner, title }).where("id", "=", id).execute();
      const own = link.tags.map((tag) => ({ tag_id: tags.indexOf(tag) + 1, link_id: id }));
      await room.database.transaction((tx) => sql.insertMany(tx, "link_tags", own));
      if (link.isDeleted) await room.deleteLink(id);
    }
  }

  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb({ threads: dialect.name === "sqlite" }));
    room.retention.hourlyDays = 3_000;
    await addLinks();
    all = Array.from({ length: CLICKS }, () => ({
      linkId: pick([...links.keys()]),
      at: instant(),
      userAgent: pick([null, CHROME, IPHONE, GOOGLEBOT]),
      automated: pick([true, false, false]),
      columns: {
        channel: pick(["direct", "search"]),
        referrer: pick([null, "a.example", "l.facebook.com", "m.facebook.com"]),
        utm_campaign: pick([null, "Spring", "spring", "Ünï 100%"]),
        utm_source: pick([null, "mail"]),
        language: pick([null, "de-AT", "de"]),
        rule: pick([null, "1", "2"]),
      },
      ...pick([
        { country: null, city: null },
        { country: "DE", city: null },
        { country: "DE", city: "Köln" },
        { country: "US", city: "Köln" },
      ]),
    }));
    await room.record(all);
  });

  function randomFilter(): Filter {
    const some = <T>(make: () => T): T | undefined => (next(4) === 0 ? make() : undefined);
    const chosen = {
      code: some(() => pick([["one"], ["gone", "two"], ["deep/path"]])),
      tag: some(() => pick([["spring"], ["spring", "paper"], ["ünïcode"], ["none"]])),
      domain: some(() => pick(["(default)", ...HOSTS.keys()])),
      owner: some(() => pick(["anna", "bob", "admin", "nobody"])),
      search: some(() => pick(["spring", "%", "ärger", "two", "nowhere"])),
    };
    const values = Object.fromEntries(
      FILTER_VALUES.flatMap((name) => {
        const value = next(12) === 0 ? VALUES[name](pick(all)) : null;
        return value ? [[name, value]] : [];
      }),
    );
    return { chosen, values, visitors: pick(["all", "human", "automated"]) };
  }

  function randomRange(): DateRange {
    const [one, other] = [instant(), pick([instant(), NOW])];
    return { start: Math.min(one, other), end: Math.max(one, other) };
  }

  const found = ({ chosen, values, visitors }: Filter): TestClick[] =>
    all.filter(
      (click) =>
        holds(chosen, links.get(click.linkId)!) &&
        FILTER_VALUES.every((name) => values[name] === undefined || VALUES[name](click) === values[name]) &&
        (visitors === "all" || (visitors === "automated") === click.automated),
    );

  const hourOfWeek = ({ at }: TestClick): string => {
    const [day] = new Date(at).toUTCString().split(",");
    return `${day} ${new Date(at).toISOString().slice(11, 13)}:00`;
  };
  const placeOf = ({ country, city }: TestClick) => (city ? `${country}/${city}` : null);

  /** Of a click; several for tags. */
  function valuesOf(by: ReportBy, click: TestClick): string[] {
    const link = links.get(click.linkId)!;
    const one = {
      link: () => link.key,
      tag: () => null,
      domain: () => keyOf(domainOf(link.key), ""),
      owner: () => ownerOf(link),
      hour_of_week: () => hourOfWeek(click),
      ...VALUES,
      city: placeOf,
    }[by](click);
    return by === "tag" ? (link.isDeleted ? [] : link.tags) : typeof one === "string" ? [one] : [];
  }

  async function compareReport(by: ReportBy, filter: Filter, range: DateRange): Promise<void> {
    const scope = { links: await choose(filter.chosen), values: filter.values, visitors: filter.visitors };
    const limit = pick([1_000, 2]);
    const report = await room.analytics.report(by, range, limit, scope);
    const within = found(filter).filter(({ at }) => at >= range.start && at <= range.end);
    const byValue = new Map<string, TestClick[]>();
    for (const click of within) {
      for (const value of valuesOf(by, click)) byValue.set(value, [...(byValue.get(value) ?? []), click]);
    }
    const rows = [...byValue]
      .map(([value, clicks]) => ({ value, clicks: clicks.length }))
      .sort((a, b) => b.clicks - a.clicks || (a.value < b.value ? -1 : 1));
    // Ties at the end of a cut list may be any of their values.
    expect(report.rows.map(({ clicks }) => clicks)).toEqual(rows.slice(0, limit).map(({ clicks }) => clicks));
    for (const { value, clicks } of report.rows) {
      expect([by, value, clicks]).toEqual([by, value, byValue.get(value)?.length ?? 0]);
    }
    const shown = report.rows.map(({ value }) => value);
    const rest = within.filter((click) => !valuesOf(by, click).some((value) => shown.includes(value)));
    expect([by, report.total, report.other]).toEqual([by, within.length, rest.length]);
    if (filter.visitors !== "all") return;
    for (const { value, both } of report.rows) {
      expect(both.automated).toBe(byValue.get(value)!.filter(({ automated }) => automated).length);
    }
  }

  async function compareOthers(filter: Filter, range: DateRange): Promise<void> {
    const { analytics } = room;
    const scope = { links: await choose(filter.chosen), values: filter.values, visitors: filter.visitors };
    const clicks = found(filter);
    const trend = await analytics.trend(range, "day", scope);
    const counts = Object.fromEntries(trend.labels.map((label, at) => [label, trend.values[at]!]));
    const expected = byHand.trend(clicks, range, "day");
    expect(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))).toEqual(expected);
    const pairs = <T extends { clicks: number }>(list: T[], name: (item: T) => string) =>
      list.map((item): [string, number] => [name(item), item.clicks]);
    const top = await analytics.top(range, 100, scope);
    expect(pairs(top, ({ code }) => code)).toEqual(
      byHand.counts(clicks, range, ({ linkId }) => links.get(linkId)!.key),
    );
    const devices = await analytics.devices(range, 20, scope);
    expect(pairs(devices.browsers, ({ name }) => name)).toEqual(
      byHand.counts(clicks, range, (click) => agentOf(click)?.browser ?? null),
    );
    const newest = await analytics.newest(range, 100, scope);
    const inRange = clicks.filter(({ at }) => at >= range.start && at <= range.end).map(({ at }) => at);
    const most = Object.keys(filter.values).length > 0 ? 100 : newest.length;
    expect(newest.map(({ clickedAt }) => clickedAt)).toEqual(inRange.sort((a, b) => b - a).slice(0, most));
  }

  describe("reports equal the clicks", () => {
    test("under filters by links, values and both", async () => {
      for (let at = 0; at < FILTERS; at++) {
        const [filter, range] = [randomFilter(), randomRange()];
        const { code, domain } = filter.chosen;
        // Codes that no link has on the domain are refused.
        const onDomain = LINKS.filter((link) => domain === undefined || domain === hostOf(link));
        if (code?.some((one) => onDomain.every((link) => codeOf(link.key) !== one))) {
          expect(await choose(filter.chosen).catch((error) => error.name)).toBe("LinkNotFound");
          continue;
        }
        await compareReport(pick(REPORTS), filter, range);
        await compareReport(pick(REPORTS), { ...filter, values: {} }, range);
        await compareOthers(filter, range);
      }
    });

    test("by every dimension, from now back a year", async () => {
      const filter: Filter = { chosen: {}, values: {}, visitors: "all" };
      for (const by of REPORTS) await compareReport(by, filter, { start: NOW - 360 * DAY_MS, end: NOW });
    });

    test("by hours of the week from details, where no hours are kept", async () => {
      await room.database.write
        .deleteFrom("click_hours")
        .where("hour", "<", UTC.hour.of(NOW - 7 * DAY_MS))
        .execute();
      for (const visitors of ["all", "human"] as const) {
        const range = { start: NOW - 300 * DAY_MS - HOUR_MS, end: NOW };
        await compareReport("hour_of_week", { chosen: { tag: ["spring"] }, values: {}, visitors }, range);
      }
    });

    test("a site has its hosts, and filters count from sums where the details are gone", async () => {
      const { analytics, database } = room;
      const year = { start: NOW - 360 * DAY_MS, end: NOW };
      const { rows } = await analytics.report("site", year, 10);
      const hosts = rows.find(({ value }) => value === "facebook.com")!.hosts!;
      expect(hosts.map(({ value }) => value).sort()).toEqual(["l.facebook.com", "m.facebook.com"]);
      const gone = UTC.day.of(NOW) - 30;
      await database.write
        .deleteFrom("click_log")
        .where("clicked_at", "<", gone * DAY_MS)
        .execute();
      const months = { start: (gone - 290) * DAY_MS, end: NOW };
      for (const values of [
        { utm_campaign: "spring" },
        { site: "facebook.com" },
        { country: "DE" },
        { os: "iOS" },
      ]) {
        for (const chosen of [{}, { tag: ["spring"] }]) {
          const filter: Filter = { chosen, values, visitors: "human" };
          const scope = { links: await choose(chosen), values, visitors: filter.visitors };
          const expected = byHand.trend(found(filter), months, "month");
          const { labels, values: counted, unknown } = await analytics.trend(months, "month", scope);
          expect(unknown).toEqual([]);
          for (const [at, label] of labels.entries())
            expect([label, counted[at]]).toEqual([label, expected[label] ?? 0]);
          await compareReport("link", filter, months);
          await compareReport("owner", filter, months);
          expect(await analytics.detailsFrom(months, scope, { isSummed: true })).toBeNull();
          expect(await analytics.detailsFrom(months, scope)).not.toBeNull();
        }
      }
      // Campaigns have months behind the oldest day.
      const oldest = UTC.day.of(Date.parse("2026-08-10"));
      for (const table of ["click_days", "click_dim_days"] as const)
        await database.write.deleteFrom(table).where("day", "<", oldest).execute();
      const since = { start: Date.parse("2026-05-01"), end: NOW };
      for (const chosen of [{}, { tag: ["spring"] }]) {
        const filter: Filter = { chosen, values: { utm_campaign: "spring" }, visitors: "human" };
        const scope = { links: await choose(chosen), values: filter.values, visitors: filter.visitors };
        const { labels, values: counted, unknown } = await analytics.trend(since, "month", scope);
        const expected = byHand.trend(found(filter), since, "month");
        expect(labels.map((label, at) => [label, counted[at]])).toEqual(
          labels.map((label) => [label, expected[label] ?? 0]),
        );
        expect(unknown).toEqual([]);
        await compareReport("link", filter, since);
        const use = { isSummed: true, useMonths: true };
        expect(await analytics.detailsFrom(since, scope, use)).toBeNull();
        const cut = { ...since, start: Date.parse("2026-05-02") };
        const every = byHand.trend(found({ chosen, values: {}, visitors: "all" }), cut, "month");
        expect((await analytics.trend(cut, "month", scope)).unknown).toEqual(
          "2026-05" in every ? ["2026-05"] : [],
        );
        const isLost = "2026-05" in byHand.trend(all, cut, "month");
        expect(await analytics.detailsFrom(cut, scope, use)).toBe(isLost ? Date.parse("2026-06-01") : null);
      }
      // Two dimensions need the details.
      const both = { values: { utm_campaign: "spring", country: "DE" } };
      const trend = await analytics.trend(months, "month", both);
      const clicked = Object.keys(byHand.trend(all, months, "month")).sort();
      expect(trend.unknown).toEqual(clicked.filter((label) => label < "2026-10"));
    });
  });
});
