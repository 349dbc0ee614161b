import { beforeAll, beforeEach, expect, test } from "bun:test";
import { Command } from "commander";
import { IPHONE } from "../../../clicks/analytics/analytics.test-support.ts";
import type { Actor } from "../../../lib/actor.ts";
import { silentLogger } from "../../../lib/logger.ts";
import { DAY, NOW, refusal, TARGET } from "../../../links/links.test-support.ts";
import { forEachDialect } from "../../../platform/db/for-each-dialect.test-support.ts";
import { zonedInstantOf } from "../../../reports/days.ts";
import { openReports, type ReportsHarness } from "../../../reports/reports.test-support.ts";
import { testVisitorPages } from "../../../visitors/pages.test-support.ts";
import type { MailContent, Recipient } from "../mail.ts";
import { lastDue, nextDue } from "./report-mail.ts";
import { addReportMailCommands } from "./report-mails.commands.ts";
import { createReportMailsRepository } from "./report-mails.repository.ts";
import { createReportMails, type ReportMails } from "./report-mails.service.ts";
import { createReportMailJob } from "./sending.ts";

const ZONE = "Europe/Berlin";
const OUTSIDER = "lea@example.com";

test("mails are due at the time of the zone, on both sides of a change of its clock", () => {
  const at = (text: string) => Date.parse(text);
  const daily = { every: "day", minute: 8 * 60 } as const;
  expect(nextDue(daily, ZONE, at("2026-10-24T06:00:00Z"))).toBe(at("2026-10-25T07:00:00Z"));
  expect(nextDue(daily, ZONE, at("2026-10-24T05:59:59Z"))).toBe(at("2026-10-24T06:00:00Z"));
  // 02:30 does not exist on that day.
  expect(zonedInstantOf(ZONE, "2026-03-29", 150)).toBe(at("2026-03-29T01:30:00Z"));
  const weekly = { every: "week", minute: 0 } as const;
  expect(nextDue(weekly, "UTC", at("2026-11-20T13:00:00Z"))).toBe(at("2026-11-23T00:00:00Z"));
  const monthly = { every: "month", minute: 60 } as const;
  expect(nextDue(monthly, "UTC", at("2026-11-20T13:00:00Z"))).toBe(at("2026-12-01T01:00:00Z"));
  expect(lastDue(monthly, "UTC", at("2026-11-20T13:00:00Z"))).toEqual({
    day: "2026-11-01",
    at: at("2026-11-01T01:00:00Z"),
  });
});

test("the command gives days to mails that there are, not to those of a page that has its own", () => {
  const program = new Command();
  addReportMailCommands(program, {} as never);
  const flagsOf = (name: string) =>
    program.commands[0]!.commands.find((one) => one.name() === name)!.options.map(({ long }) => long);
  expect(flagsOf("update")).toContain("--days");
  expect(flagsOf("add")).not.toContain("--days");
});

forEachDialect((dialect) => {
  let at: ReportsHarness;
  let mails: ReportMails;
  let run: () => Promise<void>;
  let mia: Actor & { accountId: number };
  let sent: { to: Recipient; mail: MailContent }[];
  let isAway = false;
  let isLimitReached = false;
  const keys = new Set<string>();
  const tokenOf = async (email: string, id: number) =>
    (await createReportMailsRepository(at.database).readers(id)).find((one) => one.email === email)!.token;

  beforeAll(async () => {
    const database = await dialect.openDb({ poolSize: 4 });
    at = await openReports(database, ZONE);
    const outbox = {
      isEnabled: () => true,
      hasMore: async () => isLimitReached,
      async queue(
        _: unknown,
        to: Recipient,
        mail: MailContent,
        { onceKey = null }: { onceKey?: string | null } = {},
      ) {
        if (onceKey !== null && keys.has(onceKey)) return null;
        keys.add(onceKey ?? "");
        return sent.push({ to, mail });
      },
    };
    const shared = {
      repository: createReportMailsRepository(database),
      changes: at.changes,
      outbox,
      readerUrl: (token: string) => `https://go.example/end/${token}`,
      zone: () => ZONE,
      clock: at.clock,
    };
    mails = createReportMails({
      ...shared,
      pages: at.reports,
      record: at.events.add,
      languageOf: async () => "de",
    });
    const job = createReportMailJob({
      ...shared,
      pages: at.repository,
      figures: {
        ...at.figures,
        of: (...args) => (isAway ? Promise.reject(new Error("away")) : at.figures.of(...args)),
      },
      texts: (language) => testVisitorPages.look({ headers: { get: () => language } }),
      pageUrl: (key) => `https://go.example/${key}`,
      logger: silentLogger,
    });
    run = () => job.run(new AbortController().signal);
  });
  beforeEach(async () => {
    await at.clicks.clear();
    await at.clear();
    sent = [];
    mia = await at.account();
    const row = { account_id: mia.accountId, email: `${mia.name}@example.com`, proved_at: 1, language: "fr" };
    await at.database.write
      .insertInto("account_mail")
      .values({ ...row, choices: "{}" })
      .execute();
  });

  const make = (to: string[], more: object = {}) =>
    mails.create({ title: "Week", every: "day", at: "08:00", days: 7, to, ...more }, mia);
  const setClock = (now: number) => {
    at.clock.time = now;
    at.clicks.clock.time = now;
  };

  test("come at their hour, once each, in the words of the reader, with the days before", async () => {
    const { id: linkId } = await at.links.by(mia).create({ code: "spring", target: TARGET });
    await at.clicks.record([
      ...Array.from({ length: 60 }, () => ({ linkId, at: NOW - 10 * DAY, country: "DE" })),
      ...Array.from({ length: 45 }, () => ({ linkId, at: NOW - 2 * DAY, country: "DE", userAgent: IPHONE })),
      { linkId, at: NOW, country: "US" },
    ]);
    const { id, nextAt } = await make([`${mia.name}@example.com`]);
    expect(new Date(nextAt).toISOString()).toBe("2026-11-21T07:00:00.000Z");
    await run();
    expect(sent).toEqual([]);

    setClock(nextAt + 1);
    await Promise.all([run(), run()]);
    await run();
    expect(sent).toHaveLength(1);
    const [{ to, mail }] = sent as [(typeof sent)[number]];
    expect(to).toMatchObject({ email: `${mia.name}@example.com`, language: "fr" });
    expect(mail.content).toMatchObject({
      title: "Week",
      period: "14–20 novembre 2026",
      facts: [
        "Clics humains\u00a0: 46",
        "23\u00a0%\u00a0de moins que sur la période précédente",
        "Période précédente\u00a0: 60",
        "Robots\u00a0: 0",
      ],
      url: expect.stringMatching(/^https:\/\/go\.example\/.{14}$/),
      end: `https://go.example/end/${await tokenOf(to.email, id)}`,
    });
    expect((mail.content as { lists: string[] }).lists).toContain("• Allemagne\u00a0: 45");

    // After a standstill only the last one is made.
    setClock(nextAt + 5 * DAY);
    await run();
    expect(sent).toHaveLength(2);
    expect(await mails.get(id, mia)).toMatchObject({ lastAt: nextAt + 5 * DAY, nextAt: nextAt + 6 * DAY });
  });

  test("wait an hour for figures that can't be made, then come the next time", async () => {
    const { id, nextAt } = await make([`${mia.name}@example.com`]);
    isAway = true;
    setClock(nextAt);
    await run();
    expect([sent, (await mails.get(id, mia)).nextAt]).toEqual([[], nextAt]);
    isAway = false;
    await run();
    expect(sent).toHaveLength(1);
    isAway = true;
    setClock(nextAt + DAY + DAY / 24);
    await run();
    expect([sent.length, (await mails.get(id, mia)).nextAt]).toEqual([1, nextAt + 2 * DAY]);
    isAway = false;
  });

  test("an address that is no account's confirms once, and only the owner undoes what it ended", async () => {
    const { id, nextAt, readers } = await make([OUTSIDER]);
    expect([readers[0]!.state, sent.map(({ to, mail }) => [to.email, to.language, mail.kind])]).toEqual([
      "waiting",
      [[OUTSIDER, "de", "report_confirm"]],
    ]);
    setClock(nextAt);
    await run();
    expect(sent).toHaveLength(1);
    const token = await tokenOf(OUTSIDER, id);
    await mails.decide(token, "confirm", "ja");
    setClock(nextAt + DAY);
    await run();
    expect(sent.slice(1).map(({ to, mail }) => [to.language, mail.kind])).toEqual([["ja", "report"]]);
    const again = await make([OUTSIDER]);
    expect(again.readers[0]!.state).toBe("active");

    expect(await mails.decide(token, "end", "en")).toMatchObject({ state: "ended" });
    expect(await mails.decide(token, "confirm", "en")).toMatchObject({ state: "ended" });
    setClock(nextAt + 2 * DAY);
    sent = [];
    await run();
    expect(sent.filter(({ mail }) => (mail.content as { end?: string }).end?.endsWith(token))).toEqual([]);
    await mails.change(id, { ask_again: [OUTSIDER] }, mia);
    expect(sent.at(-1)!.mail.kind).toBe("report_confirm");
    expect(await mails.decide(token, "confirm", "en")).toMatchObject({ state: "active" });
    expect(await mails.decide("unknown", "end", "en")).toBeNull();
  });

  test("whoever ended them confirms when the owner removes and adds the address", async () => {
    const own = `${mia.name}@example.com`;
    const { id } = await make([own, OUTSIDER]);
    const token = await tokenOf(own, id);
    await mails.decide(token, "end", "en");
    for (const _ of [1, 2]) {
      await mails.change(id, { to: [OUTSIDER] }, mia);
      expect((await mails.get(id, mia)).readers).toMatchObject([{ email: OUTSIDER }]);
      expect(await mails.decide(token, "end", "en")).toMatchObject({ state: "ended" });
      expect((await mails.get(id, mia)).readers).toHaveLength(1);
      sent = [];
      await mails.change(id, { to: [own, OUTSIDER] }, mia);
      expect((await mails.get(id, mia)).readers).toContainEqual(
        expect.objectContaining({ email: own, state: "waiting" }),
      );
      expect(sent.map(({ to, mail }) => [to.email, mail.kind])).toEqual([[own, "report_confirm"]]);
    }
    await mails.decide(token, "confirm", "en");
    for (const to of [[OUTSIDER], [own, OUTSIDER]]) await mails.change(id, { to }, mia);
    expect((await mails.get(id, mia)).readers).toContainEqual(
      expect.objectContaining({ email: own, state: "active" }),
    );
  });

  test("leave the page as it was when they are refused", async () => {
    const pages = async () => (await at.reports.page({}, null, 10, mia)).reports.map(({ title }) => title);
    isLimitReached = true;
    expect(await refusal(make([OUTSIDER]))).toBe("RateLimitExceeded");
    expect(await pages()).toEqual([]);
    const { id } = await make([`${mia.name}@example.com`]);
    for (const more of [{ to: [OUTSIDER] }, { ask_again: [OUTSIDER] }])
      expect(await refusal(mails.change(id, { title: "Other", ...more }, mia))).not.toBe("");
    isLimitReached = false;
    expect(await pages()).toEqual(["Week"]);
    await mails.change(id, { title: "Other", to: [OUTSIDER] }, mia);
    expect(await mails.get(id, mia)).toMatchObject({
      page: { title: "Other" },
      readers: [{ email: OUTSIDER }],
    });
  });

  test("keep their page from a fixed range, which a page without mails may have", async () => {
    const { id, page } = await make([OUTSIDER]);
    const range = { from: "2026-11-01", to: "2026-11-10" };
    expect(await refusal(at.reports.change(page.id, range, mia))).toBe("Conflict");
    await at.reports.change(page.id, { days: 30 }, mia);
    expect((await mails.get(id, mia)).page).toMatchObject({ days: 30, firstDay: null });
    await mails.remove(id, mia);
    expect(await at.reports.change(page.id, range, mia)).toMatchObject({ days: null });
  });

  test("belong to whoever may change the page, and end with it", async () => {
    const { id, page } = await make([OUTSIDER]);
    const other = await at.account();
    expect(await refusal(mails.get(id, other))).toBe("NotFound");
    expect((await mails.page(null, 10, other)).mails).toEqual([]);
    expect((await mails.page(null, 10, mia)).mails.map((mail) => mail.id)).toEqual([id]);
    await mails.change(id, { every: "month", at: "09:30", days: 30, to: ["new@example.com"] }, mia);
    expect(await mails.get(id, mia)).toMatchObject({
      every: "month",
      minute: 570,
      page: { days: 30 },
      readers: [{ email: "new@example.com" }],
    });
    expect(await refusal(make([OUTSIDER], { page_id: page.id }))).toBe("BadRequest");
    const second = await mails.create({ page_id: page.id, every: "day", at: "08:00", to: [OUTSIDER] }, mia);
    await mails.remove(second.id, mia);
    await at.reports.change(page.id, { target: TARGET }, mia);
    expect(await refusal(mails.get(id, mia))).toBe("NotFound");
    const left = await at.database.read.selectFrom("report_readers").select("id").execute();
    expect(left).toEqual([]);
  });
});
