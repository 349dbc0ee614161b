import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { until } from "../../../test/support/until.ts";
import { OPTIONS, openImports } from "./imports.test-support.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0";

/** A dump with links c0, c1, … and visits, the first of which is of c0. */
function dumpOf(
  links: number,
  visits: readonly (readonly [code: string, time: string, agent: string])[],
): string {
  const rows = Array.from(
    { length: links },
    (_, at) =>
      `('c${at}','https://example.com/${at}${at === 0 ? "?utm_campaign=spring%2026" : ""}','Title ${at}','2020-01-02 03:04:05','',${at === 0 ? 9 : 0})`,
  );
  const clicks = visits.map(
    ([code, time, agent], at) =>
      `(${at + 1},'${time}','${code}','https://news.example/a','${agent}','203.0.113.7','DE')`,
  );
  return [
    "CREATE TABLE `yourls_log` (`click_id` int, `click_time` datetime, `shorturl` varchar(100), `referrer` text, `user_agent` text, `ip_address` text, `country_code` char(2));",
    ...(clicks.length === 0 ? [] : [`INSERT INTO \`yourls_log\` VALUES ${clicks.join(",")};`]),
    "CREATE TABLE `yourls_url` (`keyword` varchar(100), `url` text, `title` text, `timestamp` timestamp, `ip` text, `clicks` int);",
    `INSERT INTO \`yourls_url\` VALUES ${rows.join(",")};`,
  ].join("\n");
}

const VISITS = [
  ["c0", "2026-11-01 10:00:00", FIREFOX],
  ["c0", "2026-11-01 10:59:59", "curl/8.0"],
  ["c0", "2026-11-02 00:00:00", FIREFOX],
  ["c1", "2026-11-01 10:30:00", FIREFOX],
  ["gone", "2026-11-01 10:30:00", FIREFOX],
  ["c1", "2027-01-01 00:00:00", FIREFOX],
] as const;

forEachDialect((dialect) => {
  let room: Awaited<ReturnType<typeof openImports>>;
  beforeAll(async () => {
    room = await openImports(await dialect.openDb());
  });
  afterAll(() => room.close());

  test("what is imported is in all sums, and its undo leaves nothing", async () => {
    const { imports, links, database } = room;
    const before = await room.counts();
    const source = await room.file(dumpOf(600, VISITS));
    const made = { product: "yourls", source, options: OPTIONS } as const;
    const foreseen = await imports.preview(
      { ...made, file: null, key: null },
      () => {},
      () => {},
    );
    expect(await room.counts()).toEqual(before);
    const id = await room.runImport(made);
    const { state, report } = await imports.find(id);
    expect(state).toBe("done");
    expect(foreseen.counts).toEqual(report.counts);
    expect(report.counts).toMatchObject({
      links_read: 600,
      links_imported: 600,
      visits_read: 6,
      visits_imported: 4,
      visits_refused: 2,
      clicks_imported: 10,
      clicks_without_date: 6,
    });
    expect(report.reasons.map(({ reason, count }) => [reason, count])).toEqual([
      ["The visit is later than the import.", 1],
      ["Its link was not imported, or is gone.", 1],
    ]);
    expect(await links.get("c0")).toMatchObject({
      title: "Title 0",
      createdAt: Date.parse("2020-01-02T03:04:05Z"),
      clickCount: 9,
      automatedClicks: 1,
    });
    expect(await links.get("c1")).toMatchObject({ clickCount: 1, automatedClicks: 0 });
    const hours = await database.read
      .selectFrom("click_hours")
      .select(["hour", "clicks", "automated"])
      .where("link_id", "=", 0)
      .orderBy("hour")
      .execute();
    const first = Date.parse("2026-11-01T10:00:00Z") / 3_600_000;
    expect(hours).toEqual([
      { hour: first, clicks: 3, automated: 1 },
      { hour: first + 14, clicks: 1, automated: 0 },
    ]);
    const log = await database.read
      .selectFrom("click_log")
      .select(["country", "source", "automated", "utm_campaign", "channel"])
      .execute();
    expect(log).toHaveLength(2);
    expect(log[0]).toMatchObject({ country: "DE", source: "ref:news.example" });
    // Like live clicks, imported ones know the campaign of the target.
    expect(log[0]).toMatchObject({ utm_campaign: "spring 26", channel: "campaign" });
    const drops = await database.read.selectFrom("detail_drops").selectAll().execute();
    expect(drops).toEqual([{ day: Math.floor(first / 24), reason: "imported", clicks: 2 }]);
    expect(await room.counts()).toMatchObject({
      "total links": 600,
      "total clicks": 10,
      "total automated": 1,
      "total imported": 10,
    });
    const events = (await room.events.page({ action: "links.import" }, null, 10)).events;
    expect(events.map(({ after }) => JSON.parse(after!).links_imported)).toEqual([600]);

    expect(await room.undo(id)).toMatchObject({ links_removed: 600, links_kept: 0 });
    expect(await room.counts()).toEqual(before);
    expect((await imports.find(id)).state).toBe("undone");
  });

  test("undo keeps changed links and own clicks, and goes on after an end in the middle", async () => {
    const { links, click } = room;
    const source = await room.file(dumpOf(450, VISITS));
    const id = await room.runImport({ product: "yourls", source, options: OPTIONS });
    room.clock.time += 1_000;
    await links.update("c1", { target: "https://example.com/changed" });
    await click("c2", 3, 1);
    const ended = new AbortController();
    await room.imports.actions.undo(id);
    const cut = room.imports.work(id, { signal: ended.signal });
    ended.abort();
    await cut.catch(() => undefined);
    await room.imports.work(id);
    expect((await room.imports.find(id)).report.counts).toMatchObject({ links_removed: 449, links_kept: 1 });
    expect(await links.get("c1")).toMatchObject({ clickCount: 1 });
    const { "total links": left, deleted_links: deleted, ...found } = await room.counts();
    expect([left, found["total clicks"], found["total imported"], deleted]).toEqual([1, 1, 1, 1]);
    const drops = await room.database.read.selectFrom("detail_drops").select("clicks").execute();
    expect(drops).toEqual([{ clicks: 1 }]);
    const { events } = await room.events.page({ action: "link.delete" }, null, 10);
    expect(events).toEqual([]);
    await links.remove("c1");
    await room.clear();
    for (const table of ["click_hours", "click_days", "click_months", "click_log", "detail_drops"] as const)
      await room.database.write.deleteFrom(table).execute();
  });

  test("an import that was cut off continues, once", async () => {
    const source = await room.file(
      dumpOf(
        600,
        [...Array(1_100)].map((_, at) => [`c${at % 600}`, "2026-11-01 10:00:00", FIREFOX] as const),
      ),
    );
    const { id } = await room.imports.create(
      { product: "yourls", source, file: null, key: null, options: OPTIONS },
      { name: "cli" },
      "running",
    );
    for (const portions of [1, 2]) {
      const ended = new AbortController();
      let seen = 0;
      const onProgress = () => void (++seen === portions && ended.abort());
      await room.imports.work(id, { signal: ended.signal, onProgress }).catch(() => undefined);
      expect((await room.imports.find(id)).state).toBe("running");
    }
    await room.imports.work(id);
    const { report } = await room.imports.find(id);
    expect(report.counts).toMatchObject({
      links_imported: 600,
      links_skipped: 0,
      visits_imported: 1_100,
      visits_refused: 0,
    });
    expect((await room.counts())["total clicks"]).toBe(1_107);
    expect(await room.undo(id)).toMatchObject({ links_removed: 600 });
  });

  test("taken codes are skipped, renamed, or end the import before its start", async () => {
    const { imports, links } = room;
    await links.create({ code: "c1", target: "https://example.com/mine" });
    const source = await room.file(
      `code,target,tags\nc1,https://example.com/1,a\nc2,https://example.com/2,"a,b"\n,https://example.com/3,\n`,
    );
    const importing = (on_conflict: "skip" | "rename" | "fail") =>
      room.runImport({ product: "csv", source, options: { ...OPTIONS, on_conflict } });
    const skipped = await importing("skip");
    expect((await imports.find(skipped)).report.counts).toMatchObject({
      links_imported: 2,
      links_skipped: 1,
    });
    expect((await room.undo(skipped)).links_removed).toBe(2);
    const renamed = await importing("rename");
    expect((await links.get("c1-2")).target).toBe("https://example.com/1");
    expect((await links.get("c1")).target).toBe("https://example.com/mine");
    expect((await room.undo(renamed)).links_removed).toBe(3);
    await expect(importing("fail")).rejects.toThrow("1 of the codes are taken. Nothing was imported");
    expect(await room.rows("links")).toBe(1);
    expect((await room.counts())["tags"]).toBe(0);
    await room.clear();
  });

  test("clicks of a table stay apart by bots, and an owner that nobody has is named", async () => {
    const { imports, links, database } = room;
    const before = await room.counts();
    const ownerId = await room.drive.account();
    const { username } = await database.read
      .selectFrom("users")
      .select("username")
      .where("id", "=", ownerId)
      .executeTakeFirstOrThrow();
    const source = await room.file(
      `code,target,click_count,human_clicks,owner\nb,https://example.com/b,100,30,${username}\nc,https://example.com/c,5,,annna\nd,https://example.com/d,5,6,\n`,
    );
    const made = { product: "csv", source, options: OPTIONS } as const;
    const notes: string[] = [];
    const foreseen = await imports.preview(
      { ...made, file: null, key: null },
      () => {},
      (some) => void notes.push(...some.map(({ code, reason }) => `${code}: ${reason}`)),
    );
    expect(notes).toEqual([
      "c: There is no account or team annna; the link has no owner.",
      'd: human_clicks can\'t be read: "6". Write a whole number without separators.',
    ]);
    const id = await room.runImport(made);
    expect((await imports.find(id)).report.counts).toEqual(foreseen.counts);
    expect(foreseen.counts).toMatchObject({ links_imported: 2, links_partial: 1, links_refused: 1 });
    expect(await links.get("b")).toMatchObject({ clickCount: 100, automatedClicks: 70, ownerId });
    expect(await links.get("c")).toMatchObject({ clickCount: 5, automatedClicks: 0, ownerId: null });
    expect(await room.counts()).toMatchObject({ "total clicks": 105, "total automated": 70 });
    expect((await room.undo(id)).links_removed).toBe(2);
    expect(await room.counts()).toEqual(before);
    await room.clear();
  });

  test("undo removes links of one code of the source, in one portion or two", async () => {
    const { imports, links } = room;
    const others = Array.from({ length: 500 }, (_, at) => `o${at},https://example.com/o${at}\n`).join("");
    const source = await room.file(
      `code,target\na,https://example.com/1\na,https://example.com/2\n${others}a,https://example.com/3\n`,
    );
    const options = { ...OPTIONS, on_conflict: "rename" } as const;
    const id = await room.runImport({ product: "csv", source, options });
    expect((await links.get("a-3")).target).toBe("https://example.com/3");
    expect((await imports.find(id)).report.counts.links_imported).toBe(503);
    expect(await room.counts()).toMatchObject({ links: 503, import_links: 503 });
    expect((await room.undo(id)).links_removed).toBe(503);
    expect(await room.rows("links")).toBe(0);
    await room.clear();
  });

  test("what was done is undone or confirmed before it is dropped, even if it imported nothing", async () => {
    const { imports, links } = room;
    const none = { product: "csv", source: await room.file("code,target\n"), options: OPTIONS } as const;
    const done = await room.runImport(none);
    await expect(imports.actions.drop(done)).rejects.toThrow("Undo or confirm the import first.");
    await imports.actions.confirm(done);
    await imports.work(done);
    await imports.actions.drop(done);
    await links.create({ code: "taken", target: "https://example.com/" });
    const source = await room.file("code,target\ntaken,https://example.com/1\n");
    const options = { ...OPTIONS, on_conflict: "fail" } as const;
    const made = { product: "csv", source, file: null, key: null, options } as const;
    const { id } = await imports.create(made, { name: "cli" }, "running");
    await expect(imports.work(id)).rejects.toThrow("Nothing was imported");
    await imports.actions.drop(id);
    for (const gone of [done, id]) await expect(imports.find(gone)).rejects.toThrow();
    await room.clear();
  });
});

describe("on SQLite", () => {
  forEachDialect(
    (dialect) => {
      test("hashes stay, and protected links lead nowhere until they are approved", async () => {
        const room = await openImports(await dialect.openDb());
        const bcrypt = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
        const source = await room.file(
          `code,target,password\na,https://example.com/a,${bcrypt}\nb,https://example.com/b,\n`,
        );
        const id = await room.runImport({ product: "csv", source, options: OPTIONS });
        const [a, b] = [await room.links.get("a"), await room.links.get("b")];
        expect([a.passwordHash, b.passwordHash]).toEqual([bcrypt, null]);
        expect([JSON.parse(a.options!).held.state, b.options]).toEqual(["waiting", null]);
        const renewed = await room.links.renewHash({ linkId: a.id, password: "right", passwordHash: bcrypt });
        expect(renewed).toStartWith("$argon2");
        expect((await room.links.get("a")).passwordHash).toBe(renewed);
        await room.imports.actions.confirm(id);
        await room.imports.work(id);
        expect(await room.counts()).toMatchObject({ links: 2, import_links: 0, import_clicks: 0 });
        await expect(room.imports.actions.undo(id)).rejects.toThrow("confirmed");
        await room.close();
      });

      test("missing domains are named, added on request, and go with the undo unless they are used", async () => {
        const room = await openImports(await dialect.openDb());
        const source = await room.file(
          // The domains are in the second portion.
          `code,target,domain\n${"x,ftp://example.com/,\n".repeat(500)}a,https://example.com/a,B.example\nb,https://example.com/b,a.example\nc,https://example.com/c,no host\n`,
        );
        const { imports, links } = room;
        const made = { product: "csv" as const, source, file: null, key: null, options: OPTIONS };
        const { id } = await imports.create(made, { name: "ada" }, "previewing");
        await imports.work(id);
        const { report } = await imports.find(id);
        expect([report.counts.links_refused, report.domains]).toEqual([
          503,
          [
            { host: "b.example", links: 1 },
            { host: "a.example", links: 1 },
          ],
        ]);
        expect(links.domains.list()).toEqual([]);
        await imports.actions.change(id, { add_domains: true });
        await imports.work(id);
        expect((await imports.find(id)).report.counts.links_imported).toBe(2);
        await imports.actions.start(id);
        await imports.work(id);
        expect((await links.get(links.domains.key("a", "b.example"))).target).toBe("https://example.com/a");
        await links.create({ code: "own", domain: "a.example", target: "https://example.com/" });
        expect(await room.undo(id)).toMatchObject({ links_removed: 2 });
        expect(links.domains.list().map(({ host }) => host)).toEqual(["a.example"]);
        await room.close();
      });

      test("a server goes on with what the API requested of an address, not with sources of a command", async () => {
        const { imports, close } = await openImports(await dialect.openDb());
        const made = { product: "sink" as const, source: "http://127.0.0.1:1", file: null, key: "key" };
        const [ours, command] = await Promise.all(
          ["ada", COMMAND.name].map((name) =>
            imports.create({ ...made, options: OPTIONS }, { name }, "running"),
          ),
        );
        await imports.job.run();
        await until(async () => (await imports.find(ours!.id)).state === "stopped");
        expect((await imports.find(ours!.id)).report.problem).toContain("can't be asked");
        expect((await imports.find(command!.id)).state).toBe("running");
        await close();
      });

      test("a table whose target is not known by its name lists its columns, and is imported when they are mapped", async () => {
        const room = await openImports(await dialect.openDb());
        const source = await room.file("Weiterleitung,Wort\nhttps://example.com/a,wort\n");
        const made = { product: "csv" as const, source, file: null, key: null, options: OPTIONS };
        const { id } = await room.imports.create(made, { name: "ada" }, "previewing");
        await expect(room.imports.work(id)).rejects.toThrow("No column is the target.");
        const stopped = await room.imports.find(id);
        expect(stopped).toMatchObject({ state: "stopped", report: { problem: expect.any(String) } });
        expect(stopped.report.columns).toEqual([
          { name: "Weiterleitung", field: null, samples: ["https://example.com/a"] },
          { name: "Wort", field: null, samples: ["wort"] },
        ]);
        await room.imports.actions.change(id, { map: { target: "Weiterleitung", code: "Wort" } });
        await room.imports.work(id);
        const { state, report } = await room.imports.find(id);
        expect([state, report.samples[0]?.code, report.problem]).toEqual(["previewed", "wort", null]);
        await room.imports.actions.start(id);
        await room.imports.work(id);
        const done = await room.imports.find(id);
        expect([done.state, done.report.counts.links_imported]).toEqual(["done", 1]);
        await room.close();
      });
    },
    ["sqlite"],
  );
});
