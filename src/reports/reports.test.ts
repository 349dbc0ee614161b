import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../lib/actor.ts";
import { IPHONE } from "../clicks/analytics/analytics.test-support.ts";
import { DAY, NOW, refusal, TARGET } from "../links/links.test-support.ts";
import { appError } from "../lib/errors.ts";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../lib/logger.ts";
import { createDaysJob } from "./days-job.ts";
import type { ReportRecord } from "./report.ts";
import { openReports, type ReportsHarness } from "./reports.test-support.ts";

const SECRET = "https://secret.example/plan-of-mia";
const ADDRESS = "203.0.113.77";

forEachDialect((dialect) => {
  let at: ReportsHarness;
  let mia: Actor & { accountId: number };
  beforeAll(async () => {
    at = await openReports(await dialect.openDb({ poolSize: 4 }));
  });
  beforeEach(async () => {
    mia = await at.account();
  });
  afterEach(async () => {
    await at.clicks.clear();
    await at.clear();
  });

  const link = async (code: string, by: Actor = mia, more: object = {}) =>
    (await at.links.by(by).create({ code, target: TARGET, ...more })).id;
  const click = (linkId: number, days: number, more: object = {}) => ({
    linkId,
    at: NOW - days * DAY,
    country: "DE",
    city: "Berlin",
    userAgent: IPHONE,
    ip: ADDRESS,
    columns: { referrer: "news.example", utm_campaign: "autumn" },
    ...more,
  });
  const page = async (id: number, init: Parameters<ReportsHarness["visit"]>[1] = {}) =>
    (await at.visit(id, init)).text();

  test("shows figures, chart and lists, and nothing that is not for its visitors", async () => {
    const plan = await link("plan", mia, { target: SECRET, password: "a long one", title: "Title of plan" });
    const open = await link("open");
    await at.clicks.record([
      ...Array.from({ length: 40 }, () => click(plan, 3)),
      click(open, 3, { country: "FR", city: "Paris", columns: { utm_campaign: "spring" } }),
      click(open, 3, { automated: true }),
      ...Array.from({ length: 50 }, () => click(open, 12)),
    ]);
    const made = await at.reports.create({ title: "Autumn <b>2026</b>", days: 7 }, mia);
    const html = await page(made.id);
    for (const part of ["Autumn &lt;b&gt;2026", ">41<", "18% fewer", "Germany", "Berlin, Germany", "Phone"])
      expect(html).toContain(part);
    for (const part of ["news.example", "autumn", "spring", "<svg", "November 14 – 20, 2026"])
      expect(html).toContain(part);
    for (const secret of [SECRET, "plan-of-mia", ADDRESS, mia.name, "Title of plan", "a long one", "/plan"])
      expect(html).not.toContain(secret);
    const response = await at.visit(made.id);
    expect(response.headers.get("x-robots-tag")).toContain("noindex");
    expect(response.headers.get("content-security-policy")).not.toContain("script-src");
    for (const [language, word] of [
      ["de", "Klicks von Menschen"],
      ["fr", "Clics humains"],
      ["zh", "真人点击"],
      ["ja", "人間のクリック"],
    ] as const)
      expect(await page(made.id, { language })).toContain(word);
  });

  test("ranks direct clicks among sites, and counts what no row shows apart", async () => {
    const plan = await link("plan");
    const from = (nth: number) => click(plan, 3, { columns: { referrer: `site${nth}.example` } });
    const sites = Array.from({ length: 12 }, (_, nth) => Array.from({ length: nth + 1 }, () => from(nth)));
    const direct = Array.from({ length: 5 }, () => click(plan, 3, { columns: {}, city: null }));
    await at.clicks.record([...sites.flat(), ...direct]);
    const made = await at.reports.create({ title: "x", days: 7 }, mia);
    const { lists } = (await at.figures.of(made))!;
    expect([lists.sites.none, lists.sites.others]).toEqual([5, 3]);
    expect([lists.cities.none, lists.cities.others]).toEqual([5, 0]);
    const rowsOf = (html: string, title: string) =>
      [
        ...html
          .split(`<h2>${title}</h2>`)[1]!
          .split("</ol>")[0]!
          .matchAll(/<bdi>(.*?)<\/bdi><b>(.*?)</g),
      ].map(([, name, clicks]) => `${name} ${clicks}`);
    const html = await page(made.id);
    expect(rowsOf(html, "Sites").slice(6)).toEqual([
      "site5.example 6",
      "site4.example 5",
      "Direct 5",
      "site3.example 4",
      "site2.example 3",
      "Others 3",
    ]);
    expect(rowsOf(html, "Cities")).toEqual(["Berlin, Germany 78", "Unknown 5"]);
  });

  test("compares days that are over, by weekday", async () => {
    const plan = await link("plan");
    const many = (count: number, days: number) => Array.from({ length: count }, () => click(plan, days));
    // Ten days meet those of two weeks before, the last of which is 14 days ago.
    await at.clicks.record([...many(60, 2), ...many(7, 0), ...many(40, 16), ...many(9, 14), ...many(5, 11)]);
    const of = async (days: number) => at.figures.of(await at.reports.create({ title: "x", days }, mia));
    expect(await of(10)).toMatchObject({
      human: 67,
      before: 49,
      compared: { now: 60, before: 40, isWhole: false },
    });
    expect((await of(1))!.compared).toBeNull();
    const made = await at.reports.create({ title: "x", days: 10 }, mia);
    expect(await page(made.id)).toContain("50% more than in the previous period, without today");
    const whole = await at.figures.of(made, "2026-11-20");
    expect(whole).toMatchObject({ compared: { now: 60, before: 40, isWhole: true } });
    const between = async (from: string, to: string) =>
      at.figures.of(await at.reports.create({ title: "x", from, to }, mia));
    // Days to come are compared with none.
    expect(await between("2026-11-18", "2026-11-27")).toMatchObject({
      human: 67,
      before: 49,
      compared: { now: 60, before: 40, isWhole: false },
    });
    for (const first of ["2026-11-20", "2026-11-24"])
      expect((await between(first, "2026-11-27"))!.compared).toBeNull();
    expect(await between("2026-11-24", "2026-11-27")).toMatchObject({ human: 0, before: 0 });
  });

  test("reads the past days of many links from their sums, also after late clicks", async () => {
    const { database } = at;
    const ids: number[] = [];
    for (let nth = 0; nth < 30; nth++) ids.push(await link(`of${nth}`));
    const clicks = (days: number) =>
      ids.map((id, nth) => click(id, days, { columns: { referrer: `site${nth % 7}.example` } }));
    await at.clicks.record([...clicks(0), ...clicks(1), ...clicks(2), ...clicks(20)]);
    const made = await at.reports.create({ title: "x", days: 30 }, mia);
    const lists = async () => (await at.figures.of(made))!.lists;
    const expected = await lists();
    const keep = () => at.figures.keep(made, new AbortController().signal);
    await keep();
    expect(await lists()).toEqual(expected);
    const days = () => database.read.selectFrom("click_set_days").select("day").orderBy("day").execute();
    const today = Math.floor(NOW / DAY);
    expect((await days()).map(({ day }) => today - day)).toEqual(
      Array.from({ length: 20 }, (_, nth) => 20 - nth),
    );
    // The links' own rows are not read any more.
    await database.write
      .deleteFrom("click_dim_days")
      .where("day", "=", today - 20)
      .execute();
    expect(await lists()).toEqual(expected);
    // A late click of a day makes its own rows count again, until they are added up.
    await at.clicks.record([click(ids[0]!, 2, { columns: { referrer: "late.example" } })]);
    const late = await lists();
    expect(late.sites.rows).toContainEqual({ name: "late.example", clicks: 1 });
    expect(late.devices.rows[0]!.clicks).toBe(121);
    await keep();
    expect(await lists()).toEqual(late);
    at.clicks.clock.time = NOW + 40 * DAY;
    await at.clicks.analytics.forgetDays();
    expect(await days()).toEqual([]);
  });

  test("shows the links that its filter names and its owner may see", async () => {
    const [own, other] = [await link("own"), await link("others", await at.account())];
    await at.clicks.record([
      click(own, 1),
      click(own, 1, { columns: { utm_campaign: "mail" } }),
      click(other, 1),
    ]);
    const human = async (report: ReportRecord) => (await at.figures.of({ ...report }))!.human;
    const made = await at.reports.create({ title: "All" }, mia);
    expect(await human(made)).toBe(2);
    const named = await at.reports.create(
      { title: "x", filter: { code: ["own"], utm_campaign: "mail" } },
      mia,
    );
    expect(await human(named)).toBe(1);
    expect(await refusal(at.reports.create({ title: "x", filter: { code: ["others"] } }, mia))).toBe(
      "LinkNotFound",
    );
    const boss = await at.account("admin");
    expect(await human(await at.reports.create({ title: "x" }, boss))).toBe(3);
    expect(await refusal(at.reports.create({ title: "x" }, await at.account("user")))).toBe("Forbidden");

    // A new code does not change which links a report shows.
    await at.links.by(mia).patch("own", { code: "renamed" });
    const again = await at.reports.get(named.id, mia);
    expect([again.codes, await human(again)]).toEqual([["renamed"], 1]);
    expect((await at.reports.page({}, null, 10, mia)).reports.map(({ id }) => id)).toEqual([
      named.id,
      made.id,
    ]);
    expect(await refusal(at.reports.get(made.id, await at.account()))).toBe("NotFound");
  });

  test("says no code of a link that went to another owner", async () => {
    await link("own");
    await link("kept");
    const made = await at.reports.create({ title: "x", filter: { code: ["own", "kept"] } }, mia);
    const boss = await at.account("admin");
    await at.links.by(boss).patch("own", { owner: boss.name, code: "secret-plan" });
    const codes = async (actor: Actor) => [
      (await at.reports.get(made.id, actor)).codes,
      (await at.reports.page({}, null, 10, actor)).reports[0]!.codes,
    ];
    expect(await codes(mia)).toEqual([["kept"], ["kept"]]);
    expect(await at.reports.change(made.id, { days: 2 }, mia)).toMatchObject({ codes: ["kept"] });
    expect(await codes(boss)).toEqual(Array.from({ length: 2 }, () => ["kept", "secret-plan"]));
  });

  test("a report that goes to another owner shows nothing that its filter does not name", async () => {
    const own = await link("own");
    const boss = await at.account("admin");
    await link("boss", boss);
    await at.clicks.record([click(own, 1)]);
    const made = await at.reports.create({ title: "All" }, mia);
    await at.reports.change(made.id, { owner: boss.name }, boss);
    expect((await at.visit(made.id)).status).toBe(404);
    await at.reports.change(made.id, { filter: {} }, boss);
    expect((await at.visit(made.id)).status).toBe(200);
    const write = at.database.write.updateTable("users").set({ disabled: 1 });
    await write.where("id", "=", boss.accountId).execute();
    at.clock.time += 60_000;
    expect((await at.visit(made.id)).status).toBe(404);
  });

  test("is found by its title as it stands, in any case", async () => {
    await at.reports.create({ title: "München Übersicht" }, mia);
    for (const search of ["München Übersicht", "MüNCHEN Über", "übersicht", "ÜBERSICHT", "sicht"])
      expect((await at.reports.page({ search }, null, 10, mia)).reports).toHaveLength(1);
    expect((await at.reports.page({ search: "Ubersicht" }, null, 10, mia)).reports).toEqual([]);
  });

  test("keeps the domain and owner that its filter names, under new names, and is closed without them", async () => {
    const { links, database } = at;
    const boss = await at.account("admin");
    const domain = await links.domainService.create({ host: "old.example" }, boss);
    const there = await link("there", mia, { domain: "old.example" });
    const here = await link("here", mia);
    await at.clicks.record([click(there, 1), click(here, 1), click(here, 2)]);
    const named = await at.reports.create({ title: "x", filter: { domain: "old.example" } }, boss);
    const owned = await at.reports.create({ title: "x", filter: { owner: mia.name } }, boss);
    const seen = async (id: number) => {
      const { filter, lacksNamed } = await at.reports.get(id, boss);
      return [filter, lacksNamed, (await at.figures.of((await at.repository.visited(id))!))?.human];
    };
    expect(await seen(named.id)).toEqual([{ domain: "old.example" }, false, 1]);
    expect(await seen(owned.id)).toEqual([{ owner: mia.name }, false, 3]);
    await links.domainService.update(domain.id, { host: "new.example" }, boss);
    const rename = (username: string) =>
      database.write.updateTable("users").set({ username }).where("id", "=", mia.accountId).execute();
    await rename("renamed");
    expect(await seen(named.id)).toEqual([{ domain: "new.example" }, false, 1]);
    expect(await seen(owned.id)).toEqual([{ owner: "renamed" }, false, 3]);
    // As older reports are stored.
    const filter = JSON.stringify({ by: boss.accountId, links: null, filter: { domain: "old.example" } });
    await database.write
      .updateTable("report_pages")
      .set({ filter })
      .where("link_id", "=", named.id)
      .execute();
    expect(await seen(named.id)).toEqual([{ domain: "old.example" }, true, undefined]);
    expect((await at.visit(named.id)).status).toBe(404);
    await database.write.deleteFrom("users").where("id", "=", mia.accountId).execute();
    expect(await seen(owned.id)).toEqual([{ owner: mia.name }, true, undefined]);
    await at.figures.keep((await at.repository.visited(named.id))!, new AbortController().signal);
  });

  test("one report whose days can't be added up keeps no others from theirs", async () => {
    const made = await Promise.all([1, 2, 3].map((days) => at.reports.create({ title: "x", days }, mia)));
    const kept: (number | null)[] = [];
    let hasForgotten = false;
    const job = createDaysJob({
      repository: at.repository,
      figures: {
        keep: async ({ days }) => {
          if (days === 2) throw new Error("broken");
          kept.push(days);
        },
      },
      forgetDays: async () => void (hasForgotten = true),
      logger: silentLogger,
    });
    await job.run(new AbortController().signal);
    expect([made.length, kept.sort(), hasForgotten]).toEqual([3, [1, 3], true]);
  });

  test("has a password and an end", async () => {
    const made = await at.reports.create({ title: "Numbers", password: "a long one", expires_at: "1d" }, mia);
    const locked = await at.visit(made.id);
    expect([locked.status, (await locked.text()).includes("Numbers")]).toEqual([401, false]);
    const form = (password: string) => ({
      method: "POST",
      body: new URLSearchParams({ password }),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect((await at.visit(made.id, form("wrong"))).status).toBe(403);
    const opened = await at.visit(made.id, form("a long one"));
    const cookie = opened.headers.get("set-cookie")!.split(";")[0]!;
    expect([opened.status, await page(made.id, { headers: { cookie } })]).toEqual([
      303,
      expect.stringContaining("Numbers"),
    ]);
    at.clock.time += DAY;
    expect((await at.visit(made.id, { headers: { cookie } })).status).toBe(404);
  });

  describe("a code", () => {
    const idsOf = async (id: number) =>
      (
        await at.database.read
          .selectFrom("events")
          .select(["id", "action"])
          .where("subject_id", "=", id)
          .orderBy("id")
          .execute()
      ).map((row) => [row.id, row.action] as const);

    test("becomes a report and a URL again, with its history", async () => {
      const id = await link("way");
      const patch = (change: object) => at.editing.patchLink(mia.accountId, "way", change, mia);
      expect(await patch({ report: { days: 7, filter: { tag: ["x"] } }, title: "Week" })).toMatchObject({
        id,
        target: "waymark:report/0",
      });
      expect((await at.visit(id)).status).toBe(200);
      await patch({ report: { days: 7, filter: { tag: "y", code: "" } } });
      expect(await at.reports.get(id, mia)).toMatchObject({ days: 7, filter: { tag: ["y"] } });
      await patch({ report: { days: 3 } });
      expect(await at.reports.get(id, mia)).toMatchObject({ days: 3, title: "Week", filter: {} });
      expect(await patch({ expires_at: "7d", title: "Days" })).toMatchObject({ title: "Days" });
      expect(await refusal(patch({ report: { days: 3, filter: { campaign: "x" } } }))).toBe("BadRequest");
      expect(await refusal(patch({ report: {}, target: TARGET }))).toBe("BadRequest");
      for (const fields of [{ password: "short" }, { max_clicks: 3 }, { redirect_status: 301 }])
        for (const change of [fields, { ...fields, report: { days: 3 } }])
          expect([change, await refusal(patch(change))]).toEqual([change, "BadRequest"]);
      expect(await refusal(at.links.by(mia).update("way", { target: TARGET }))).toBe("Conflict");
      expect(await at.reports.change(id, { target: TARGET }, mia)).toMatchObject({ id, target: TARGET });
      expect(await at.repository.find(id)).toBeNull();

      const events = await idsOf(id);
      expect(events.map(([, action]) => action)).toEqual([
        "link.create",
        ...Array(4).fill("report.update"),
        "link.update",
      ]);
      const which = { eventId: events[1]![0], state: "after" } as const;
      const back = (mayReport: () => void) =>
        at.editing.revertLink(mia.accountId, "way", which, { actor: mia, mayShare() {}, mayReport });
      const forbid = () => {
        throw appError("Forbidden", "The token has no scope for reports.");
      };
      expect(await refusal(back(forbid))).toBe("Forbidden");
      expect(await at.repository.find(id)).toBeNull();
      const url = { eventId: events[0]![0], state: "after" } as const;
      const by = { actor: mia, mayShare() {}, mayReport: forbid };
      expect((await at.editing.revertLink(mia.accountId, "way", url, by)).target).toBe(TARGET);
      await back(() => {});
      expect(await at.reports.get(id, mia)).toMatchObject({ days: 7, title: "Week", filter: { tag: ["x"] } });
      await at.reports.remove(id, mia);
      expect(await refusal(at.reports.get(id, mia))).toBe("NotFound");
    });

    test("with the password of a redirect becomes a report with a new one or none", async () => {
      await link("short", mia, { password: "1" });
      const patch = (change: object) => at.editing.patchLink(mia.accountId, "short", change, mia);
      expect(await refusal(patch({ report: { days: 7 } }))).toBe("BadRequest");
      expect(await patch({ report: { days: 7 }, password: "a long one" })).toMatchObject({ days: 7 });
      const [, [eventId] = [0]] = await idsOf((await patch({ target: TARGET })).id);
      const by = { actor: mia, mayShare() {}, mayReport() {} };
      const back = () => at.editing.revertLink(mia.accountId, "short", { eventId, state: "after" }, by);
      expect(await back()).toMatchObject({ days: 7 });
      await patch({ target: TARGET, password: "1" });
      expect(await refusal(back())).toBe("BadRequest");
    });

    test("is random, or the given one, on any domain", async () => {
      const made = await at.reports.create({ title: "x" }, mia);
      expect(made.code).toHaveLength(14);
      await at.reports.create({ title: "x", code: "given" }, mia);
      expect(await refusal(at.reports.create({ title: "x", code: "given" }, mia))).toBe("LinkAlreadyExists");
      const boss = await at.account("admin");
      await at.links.domainService.create({ host: "other.example" }, boss);
      const there = await at.reports.create({ title: "x", code: "given", domain: "other.example" }, boss);
      expect(at.links.domains.nameOf(there.code)).toEqual({ code: "given", domain: "other.example" });
      expect(await at.reports.change(there.id, { days: 2 }, boss)).toMatchObject({ days: 2 });
    });
  });

  test("counts the days of the filter", async () => {
    const made = (input: object) => at.reports.create({ title: "x", ...input }, mia);
    expect(await made({ from: "2026-11-01", to: "2026-11-10" })).toMatchObject({ days: null });
    for (const wrong of [
      { from: "2026-11-02" },
      { from: "2026-11-02", to: "2026-11-01" },
      { from: "2026-11-01", to: "2026-11-02", days: 3 },
      { from: "2020-01-01", to: "2026-11-01" },
    ])
      expect(await refusal(made(wrong))).toBe("BadRequest");
  });
});
