import { beforeAll, beforeEach, expect, test } from "bun:test";
import { createEvents } from "../../platform/events/events.service.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { readCsv } from "../../lib/csv.ts";
import { validated } from "../../lib/validated.ts";
import type { Fields } from "../link/field-kinds.ts";
import { FIELDS } from "../link/field-values.ts";
import { CONTENT } from "../link/fields.ts";
import { internalTarget } from "../link/internal-target.ts";
import { createSchema, patchSchema, viewOfLink } from "../link/link.ts";
import { linkQueryOf } from "../list/query.ts";
import { DAY, type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";
import type { ImportMode } from "./import-plan.ts";
import { createLinkCsv, type LinkCsv } from "./service.ts";

const HEADER =
  "code,target,created_at,expires_at,password,click_count,domain,title,tags,note,starts_at,max_clicks,fallback_url,redirect_status,forward_query,forward_path,rules,card,click_threshold,";

/** A value for each field, other than the empty one. */
const SAMPLES: Record<string, unknown> = {};
const RULES = [
  { if: { query: { ref: "ü b" }, percent: 50 }, target: "https://rule.example/a,b" },
  { if: { hours: { days: ["sat"], zone: "Europe/Berlin" } }, target: "https://rule.example/" },
];
const CARD = { title: "ü, b", description: null, image: "https://img.example/a,b.png" };
const VALUES = [true, 301, "2027-06-01T00:00:00.000Z", "https://fall.example/a,b", ["a,b", "c"], RULES, CARD];
for (const [name, { input, empty, parse }] of Object.entries(CONTENT as Fields)) {
  SAMPLES[name] = VALUES.find((value) => {
    if (!input.safeParse(value).success) return false;
    try {
      return parse(value, { name, now: NOW, schemes: [] }) !== empty;
    } catch {
      return false;
    }
  });
}

forEachDialect((dialect) => {
  let room: LinksRoom;
  let csv: LinkCsv;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
    csv = createLinkCsv({
      database: room.database,
      changes: room.changes,
      events: createEvents({ database: room.database, clock: room.clock }),
      routePrefixes: () => ["/admin"],
      domains: room.links.domains,
      hashPassword: async (plain) => plain,
      clock: room.clock,
    });
  });
  beforeEach(() => room.clear());

  const dump = async (whole: boolean, domain = ""): Promise<string> => {
    let text = "";
    const { filter } = linkQueryOf({ domain }, NOW, room.links.domains.filterOf);
    for await (const page of csv.export.pages(filter, { whole })) text += page.text;
    return text;
  };
  const load = (text: string, mode: ImportMode = "overwrite") => csv.import(Buffer.from(text), { mode });

  const FULL = {
    code: "full",
    target: TARGET,
    title: 'A "title", with commas',
    note: " two\nlines ",
    tags: ["a,b", 'quo"te', "plain"],
    starts_at: new Date(NOW + DAY).toISOString(),
    max_clicks: 5,
    fallback_url: "https://fallback.example/",
    redirect_status: 301 as const,
    forward_query: true,
    forward_path: true,
  };

  test("an import restores what an export of all columns wrote", async () => {
    await room.links.create(FULL);
    await room.links.create({ code: "bare", target: TARGET });
    const text = await dump(true);
    expect(text.startsWith(HEADER)).toBe(true);
    const before = await room.links.get("full");
    await room.links.batch.remove(["full", "bare"]);
    expect(await load(text)).toMatchObject({ success_count: 2, failed_items: [] });
    expect(await room.links.get("full")).toEqual({ ...before, id: expect.any(Number), ownerId: null });
    expect(await dump(true)).toBe(text);
    expect((await room.links.tags.list()).map(({ tag }) => tag)).toEqual(["a,b", "plain", 'quo"te']);
    expect(await load(text)).toMatchObject({ success_count: 2, failed_items: [] });
    expect(await dump(true)).toBe(text);
    expect(await room.links.tags.list()).toHaveLength(3);
  });

  test("bots stay apart from human clicks", async () => {
    await room.links.create({ code: "counted", target: TARGET });
    await room.click("counted", 9, 2);
    const text = await dump(true);
    expect(text).toMatch(/human_clicks\ncounted,.*,9,.*,7\n$/);
    await room.links.batch.remove(["counted"]);
    expect(await load(text)).toMatchObject({ success_count: 1, unread_count: 0 });
    expect(await room.links.get("counted")).toMatchObject({ clickCount: 9, automatedClicks: 2 });
    expect(await load(text)).toMatchObject({ success_count: 1 });
    expect(await dump(true)).toBe(text);
    const wrong = await load("code,target,click_count,human_clicks\ncounted,https://a.b,3,4\n");
    expect(wrong.unread_items).toMatchObject([{ column: "human_clicks", value: "4" }]);
    expect(await room.links.get("counted")).toMatchObject({ clickCount: 3, automatedClicks: 2 });
  });

  test("an import gives links to the owners that its file names and that exist, with the counts of their tags", async () => {
    const at = { created_at: 1, updated_at: 1 };
    await room.database.write.deleteFrom("teams").execute();
    await room.database.write
      .insertInto("teams")
      .values({ id: 1, name: "press", ...at })
      .execute();
    const rows = ["t1,https://a.b,team:press,x", "t2,https://a.b,nobody.known,x", "t3,https://a.b,,x"];
    const text = ["code,target,owner,tags", ...rows].join("\n");
    const owners = async () =>
      Promise.all(["t1", "t2", "t3"].map(async (code) => (await room.links.get(code)).ownerName));
    const unread_items = [{ row: 3, code: "t2", column: "owner", value: "nobody.known" }];
    const lenient = { success_count: 3, unread_count: 1, unread_items };
    for (const dryRun of [true, false]) {
      const strict = { mode: "skip", isStrict: true, dryRun: true } as const;
      expect(await csv.import(Buffer.from(text), strict)).toMatchObject({
        success_count: 2,
        failed_items: [{ code: "t2", error: 'owner: there is no account or team "nobody.known".' }],
        unread_count: 0,
      });
      expect(await csv.import(Buffer.from(text), { mode: "overwrite", dryRun })).toMatchObject(lenient);
    }
    expect(await owners()).toEqual(["team:press", null, null]);
    await room.links.patch("t2", { owner: "team:press" });
    expect(await load(text.replace("team:press", "admin"))).toMatchObject({ success_count: 3 });
    expect(await owners()).toEqual(["admin", "team:press", null]);
    const { events } = await room.events.page({ action: "link.update", subject: "t1" }, null, 1);
    const [before, after] = [events[0]!.before!, events[0]!.after!].map((state) => JSON.parse(state).owner);
    expect([before, after]).toEqual(["team:press", "admin"]);
    const counts = await room.database.read.selectFrom("owner_tags").select(["owner_id", "links"]).execute();
    expect(counts.sort((a, b) => a.owner_id - b.owner_id)).toEqual([
      { owner_id: -2, links: 1 },
      { owner_id: 0, links: 1 },
    ]);
  });

  test("rules may name shares of the owner that the row names, or else of the link's, alone", async () => {
    const db = room.database.write;
    const ids = new Map<string, number>();
    for (const name of ["anna", "bob"]) {
      await db.deleteFrom("users").where("username", "=", name).execute();
      const user = { role: "editor", disabled: 0, quota_bytes: 0, created_at: 1, updated_at: 1 };
      await db
        .insertInto("users")
        .values({ username: name, password_hash: "", ...user })
        .execute();
      const { id } = await db
        .selectFrom("users")
        .select("id")
        .where("username", "=", name)
        .executeTakeFirstOrThrow();
      ids.set(name, id);
    }
    await room.links.create({ code: "photos", target: TARGET });
    const set = { target: internalTarget("folder", 1), owner_id: ids.get("anna")! };
    await db.updateTable("links").set(set).where("code", "=", "photos").execute();
    const rules = [{ if: { percent: 50 }, target: "share:photos" }];
    const run = async (rows: string, columns: string) => {
      const bytes = Buffer.from(`code,target,${columns}\n${rows}\n`);
      const trial = await csv.import(bytes, { mode: "overwrite", dryRun: true });
      const done = await csv.import(bytes, { mode: "overwrite" });
      expect(trial.failed_items).toEqual(done.failed_items);
      return done.failed_items.map(({ error }) => error);
    };
    const cell = `"${JSON.stringify(rules).replaceAll('"', '""')}"`;
    const refused = [expect.stringContaining("must name a share or drop box of the account")];
    expect(await run(`r,${TARGET},bob,${cell}`, "owner,rules")).toEqual(refused);
    expect(await run(`r,${TARGET},,${cell}`, "owner,rules")).toEqual([
      expect.stringContaining("belongs to no account"),
    ]);
    expect(await run(`r,${TARGET},anna,${cell}`, "owner,rules")).toEqual([]);
    expect(await run(`r,${TARGET},${cell}`, "rules")).toEqual([]);
    expect(await run(`r,${TARGET},bob,${cell}`, "owner,rules")).toEqual(refused);
    expect(await run(`r,${TARGET},bob`, "owner")).toEqual(refused);
    expect(await run(`r,${TARGET},anna`, "owner")).toEqual([]);
    expect((await room.links.get("r")).ownerName).toBe("anna");
    expect(await run(`r,${TARGET},bob,`, "owner,rules")).toEqual([]);
  });

  test("every field of the table comes back as the API shows it", async () => {
    const given = { code: "every", target: TARGET, ...SAMPLES };
    await room.links.create(validated(createSchema, given, "The link"));
    const shown = async () => viewOfLink(await room.links.get("every"), "http://localhost", () => null);
    const before = await shown();
    for (const { name, empty, show } of FIELDS.filter((field) => field.name !== "held"))
      expect<unknown>([name, before[name]]).not.toEqual([name, show(empty)]);
    const text = await dump(true);
    await room.links.batch.remove(["every"]);
    expect(await load(text)).toMatchObject({ success_count: 1, failed_items: [] });
    expect(await shown()).toEqual({ ...before, id: expect.any(Number) });
    const cleared = Object.fromEntries(Object.keys(SAMPLES).map((name) => [name, null]));
    await room.links.patch("every", validated(patchSchema, cleared, "The link"));
    const after = await shown();
    for (const { name, empty, show } of FIELDS)
      if (name in SAMPLES) expect<unknown>([name, after[name]]).toEqual([name, show(empty)]);
    const [event] = (await room.events.page({}, null, 1)).events;
    await room.links.revert("every", event!.id, "before");
    expect(await shown()).toEqual({ ...before, id: expect.any(Number) });
  });

  test("texts that a spreadsheet would run come back as they were, and none runs", async () => {
    const signs = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "'=", "''=", "'", "'a", '"=', "=,"];
    const texts = signs.map((sign) => `${sign}cmd|' /C calc'!A0`);
    const notes = [...texts, "\t=1", "\r=1", "\n=1", "'\t=1", "'\r\n=1"];
    for (const [at, note] of notes.entries()) {
      const title = texts[at % texts.length]!;
      await room.links.create({ code: `f${at}`, target: TARGET, title, note, tags: [title, "second"] });
    }
    const shown = () =>
      Promise.all(
        notes.map(async (_, at) => {
          const { title, note, tags } = await room.links.get(`f${at}`);
          return { title, note, tags };
        }),
      );
    const before = await shown();
    const text = await dump(true);
    const cells = [...readCsv(Buffer.from(text), 64 * 1024)].flatMap((record) => record?.fields ?? []);
    expect(cells.filter((cell) => /^[=+\-@＝＋－＠\t\r\n]/.test(cell))).toEqual([]);
    await room.clear();
    expect(await load(text)).toMatchObject({ success_count: notes.length, failed_items: [] });
    expect(await shown()).toEqual(before);
    expect(await dump(true)).toBe(text);
    // By hand, with and without the sign that keeps spreadsheets quiet.
    await load(`code,target,title,tags\na,${TARGET},'=1,'=1\nb,${TARGET},=1,=1\n`);
    expect((await room.links.get("a")).title).toBe("=1");
    expect((await room.links.get("a")).tags).toEqual((await room.links.get("b")).tags);
  });

  test("links of two domains come back, each on its own, over and over", async () => {
    const { domainService } = room.links;
    const { id } = await domainService.create({ host: "go.example" }, COMMAND);
    try {
      const key = room.links.domains.key("full", "go.example");
      await room.links.create({ ...FULL, domain: "go.example", tags: ["there"] });
      await room.links.create({ ...FULL, title: "here" });
      await room.links.create({ code: "only.there", target: TARGET, domain: "go.example" });
      const text = await dump(true, "*");
      expect(text.split("\n").filter((row) => row.includes(",go.example,"))).toHaveLength(2);
      const before = await Promise.all(["full", key].map((one) => room.links.get(one)));
      // On top of what is there, and into an empty instance.
      for (const clear of [false, true]) {
        if (clear) {
          await room.links.queryBatch({ filter: { domain: "*" }, action: "delete", confirm: "all" });
          expect(await room.rows("links")).toBe(0);
        }
        expect(await load(text)).toMatchObject({ success_count: 3, failed_items: [] });
        expect(await dump(true, "*")).toBe(text);
        for (const link of before) {
          const again = await room.links.get(link.code);
          expect(again).toEqual({ ...link, id: again.id, ownerId: again.ownerId });
        }
      }
      expect(await dump(true)).not.toContain("go.example");
      // Without the column a file speaks of the default domain.
      await load(`code,target\nonly.there,${TARGET}\n`);
      expect(await room.links.find("only.there")).not.toBeNull();
    } finally {
      await room.clear();
      await domainService.remove(id, COMMAND);
    }
  });

  test("the six columns stay as they are, and absent columns keep what a link has", async () => {
    await room.links.create(FULL);
    const before = await room.links.get("full");
    const text = await dump(false);
    const six = "code,target,created_at,expires_at,password,click_count";
    expect(text).toBe(`${six}
full,${TARGET},2026-11-20T13:00:00.000Z,,,0
`);
    await load(text);
    expect(await room.links.get("full")).toEqual(before);
    await load("code,target,tags,max_clicks\nfull,https://b.example/,New,\n");
    expect(await room.links.get("full")).toMatchObject({ title: FULL.title, tags: ["new"] });
    expect((await room.links.get("full")).options).not.toContain("maxClicks");
    expect((await room.links.get("full")).options).toContain("fallbackUrl");
    expect(await room.links.tags.list()).toEqual([{ tag: "new", links: 1 }]);
  });

  test.each([
    ["domain", "unknown.example"],
    ["title", "x".repeat(201)],
    ["tags", Array.from({ length: 17 }, (_, at) => `t${at}`).join(";")],
    ["tags", "x".repeat(65)],
    ["starts_at", "soon"],
    ["max_clicks", "0"],
    ["max_clicks", "many"],
    ["fallback_url", "ftp://x.y"],
    ["redirect_status", "200"],
    ["forward_query", "perhaps"],
    ["rules", "[{}"],
    ["rules", "[{}]"],
    ["card", '{""image"":""http://img.example/""}'],
    ["created_by", "x".repeat(129)],
  ])("a row with %s %s fails alone", async (column, value) => {
    const cell = `"${value.replaceAll(";", ",")}"`;
    const result = await load(`code,target,${column}\nbad,https://x.y/,${cell}\ngood,https://x.y/,\n`);
    expect(result).toMatchObject({ success_count: 1, failed_count: 1 });
    expect(result.failed_items).toMatchObject([{ row: 2, code: "bad" }]);
    expect((await room.links.get("good")).createdBy).toBeNull();
  });
});
