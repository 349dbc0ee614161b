import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { validated } from "../../lib/validated.ts";
import { createLinkCsv, type LinkCsv } from "../csv/service.ts";
import { codeBelow } from "../fallback/loops.ts";
import { createSchema } from "../link/link.ts";
import { readOptions } from "../link/field-values.ts";
import { type LinksRoom, NO_LISTS, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";
import { linkQueryOf } from "../list/query.ts";
import { parseBulkId } from "../bulk-id.ts";
import type { TargetLists } from "../write/allowed-targets.ts";
import type { ReviewVerb } from "../link/events.ts";

const EDITOR: Actor = { name: "ed", via: "api", accountId: 5, ownOnly: true };
const ADMIN: Actor = { name: "root", via: "panel", accountId: 0, ownOnly: false };
const BOTH = ["editor", "admin"] as const;
const EVIL = "https://a.EVIL.example./x";

forEachDialect((dialect) => {
  let room: LinksRoom;
  let csv: LinkCsv;
  let lists: TargetLists;
  let schemes: readonly string[] = [];
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }), {
      targetLists: () => lists,
      targetSchemes: () => schemes,
      ownCode: (url) => codeBelow("https://own.example", url),
    });
    csv = createLinkCsv({
      database: room.database,
      changes: room.changes,
      events: room.events,
      routePrefixes: () => ["/admin"],
      targetSchemes: () => schemes,
      domains: room.links.domains,
      validateTargets: room.links.validateTargets,
      hashPassword: async (plain) => plain,
      clock: room.clock,
    });
  });
  beforeEach(async () => {
    await room.clear();
    lists = NO_LISTS;
    schemes = [];
  });

  const editor = () => room.links.by(EDITOR);
  const input = (link: object) => validated(createSchema, { target: TARGET, ...link }, "The link");
  const stateOf = async (code: string) => readOptions((await room.links.get(code)).options).held?.state;
  const codes = async (query: object) =>
    (await room.links.list(linkQueryOf({ sort: "code", ...query }, NOW))).links.map(({ code }) => code);
  const review = (code: string, action: ReviewVerb, more = {}) =>
    room.links.safety.review(ADMIN, code, { action, reason: null, updatedAt: null, ...more });

  test("no door lets a denied host in, however it is written", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await room.links.create({ code: "old", target: EVIL });
    await room.links.create({ code: "gone", target: EVIL });
    await room.links.remove("gone");
    const { id } = (await room.links.deleted.page(COMMAND, null, 1)).links[0]!;
    const moved = await room.links.queryBatch({
      filter: { codes: ["old"] },
      action: "update",
      set: { target: TARGET },
    });
    const event = await room.database.read
      .selectFrom("events")
      .select("id")
      .where("action", "=", "link.update")
      .executeTakeFirstOrThrow();
    lists = { ...NO_LISTS, deny: ["evil.example"] };
    const rules = [{ if: { device: "mobile" }, target: EVIL }];
    for (const bad of [{ target: EVIL }, { fallback_url: EVIL }, { rules }]) {
      expect(await refusal(room.links.create(input({ code: "b", ...bad })))).toBe("LinkInvalidUrl");
      expect(await refusal(room.links.create(input({ code: "a", force: true, ...bad })))).toBe(
        "LinkInvalidUrl",
      );
      expect(await refusal(room.links.patch("a", bad as never))).toBe("LinkInvalidUrl");
      expect(await refusal(room.links.update("a", { target: TARGET, ...bad } as never))).toBe(
        "LinkInvalidUrl",
      );
      const changed = await room.links.batch.update([{ code: "a", payload: { target: TARGET, ...bad } }]);
      expect(changed.failed).toMatchObject([{ code: "a", error_code: 3002 }]);
      const made = await room.links.batch.create([{ target: TARGET, ...bad }]);
      expect(made).toMatchObject({ success: [], failed: [{ error_code: 3002 }] });
      const some = { filter: { codes: ["a"] }, action: "update" as const, set: bad as never };
      expect(await room.links.queryBatch(some)).toMatchObject({ changed: 0 });
    }
    for (const mode of ["skip", "overwrite", "error"] as const) {
      const file = Buffer.from(`code,target\nc,${EVIL}\nd,${TARGET}\n`);
      const { failed_items: failed } = await csv.import(file, { mode, dryRun: true });
      expect(failed).toContainEqual(expect.objectContaining({ code: "c", error_code: 3002 }));
      expect((await csv.import(file, { mode })).failed_items).toContainEqual(
        expect.objectContaining({ code: "c", error_code: 3002 }),
      );
    }
    expect(await refusal(room.links.deleted.restore(COMMAND, id, null))).toBe("LinkInvalidUrl");
    expect(await refusal(room.links.revert("old", event.id, "before"))).toBe("LinkInvalidUrl");
    const back = await room.links.undoBatch(parseBulkId(moved.change!), 0);
    expect(back.failed.map(({ error }) => error.name)).toEqual(["LinkInvalidUrl"]);
    expect(await codes({})).toEqual(["a", "d", "old"]);
    expect((await room.links.get("old")).target).toBe(TARGET);
  });

  test("the URLs of a domain lead only where links may, and what is there stays", async () => {
    const create = (host: string, urls: object, actor = ADMIN) =>
      room.links.domainService.create({ host, ...urls }, actor);
    const { id } = await create("old.example", { not_found_url: EVIL });
    const update = (urls: object, actor = ADMIN) => room.links.domainService.update(id, urls, actor);
    lists = { ...NO_LISTS, deny: ["evil.example"] };
    for (const field of ["default_url", "not_found_url", "expired_url"]) {
      await expect(create("new.example", { [field]: EVIL })).rejects.toThrow(
        `${field}: a.evil.example may not`,
      );
      if (field !== "not_found_url")
        expect(await refusal(update({ [field]: EVIL.replace("a.", "b.") }))).toBe("LinkInvalidUrl");
    }
    await update({ not_found_url: EVIL, default_url: TARGET });
    // Nobody approves a domain, so what would wait is refused.
    lists = { allow: ["example.com"], deny: [], bound: BOTH, waiting: BOTH };
    expect(await refusal(update({ expired_url: "https://x.example/" }))).toBe("LinkInvalidUrl");
    await update({ expired_url: TARGET });
    await room.links.domainService.remove(id, ADMIN);
  });

  test("a host that only ends like a listed one is another one; addresses have one form", async () => {
    lists = { ...NO_LISTS, deny: ["evil.example", "127.0.0.1"] };
    await room.links.create({ target: "https://notevil.example/" });
    await room.links.create({ target: "https://evil.example.org/" });
    for (const target of ["http://2130706433/", "http://0x7f.1:80/", "https://evil%2eexample/"]) {
      expect(await refusal(room.links.create({ target }))).toBe("LinkInvalidUrl");
    }
  });

  test("further schemes, on every way in; those with a host or recipients are held against the lists", async () => {
    const [mail, chat] = ["mailto:press@example.com", "whatsapp://send?text=hi"];
    const rules = [{ if: { device: "mobile" }, target: chat }];
    const ways = () => [
      refusal(editor().create(input({ target: mail }))),
      refusal(editor().create(input({ rules }))),
      editor()
        .batch.create([{ target: chat }])
        .then(({ failed }) => (failed.length > 0 ? "LinkInvalidUrl" : "no error")),
      csv
        .import(Buffer.from(`code,target\nc,${mail}\n`), { mode: "overwrite" })
        .then(({ failed_items: [failed] }) => (failed ? "LinkInvalidUrl" : "no error")),
    ];
    expect(new Set(await Promise.all(ways()))).toEqual(new Set(["LinkInvalidUrl"]));
    schemes = ["mailto", "whatsapp"];
    expect(new Set(await Promise.all(ways()))).toEqual(new Set(["no error"]));
    expect((await room.links.get("c")).target).toBe(mail);
    expect(await refusal(room.links.create(input({ target: "javascript:alert(1)" })))).toBe("LinkInvalidUrl");
    lists = { ...NO_LISTS, allow: ["example.com"], bound: BOTH };
    expect(await refusal(editor().create(input({ target: mail })))).toBe("no error");
    expect(await refusal(editor().create(input({ target: chat })))).toBe("LinkInvalidUrl");
    lists = { ...lists, allow: ["example.com", "send"] };
    expect(await refusal(editor().create(input({ target: chat })))).toBe("no error");
    for (const target of [
      "mailto:press@EXAMPLE.com,chief@sub.example.com?subject=x@evil.example",
      "mailto:press%40example.com",
    ])
      expect(await refusal(editor().create(input({ target })))).toBe("no error");
    for (const target of [
      "mailto:press@evil.example",
      "mailto:press@example.com,x@evil.example",
      "mailto:press%40evil.example",
      "mailto:press@example.com?BCC=x%40evil.example",
      "mailto:?to=example.com@evil.example",
    ])
      expect(await refusal(editor().create(input({ target })))).toBe("LinkInvalidUrl");
    schemes = [];
    await room.links.patch("c", { title: "stays" });
    expect((await room.links.get("c")).target).toBe(mail);
  });

  test("allowed hosts, by role; own short links and unchanged targets always pass", async () => {
    await editor().create({ code: "old", target: EVIL });
    lists = { ...NO_LISTS, allow: ["example.com"], bound: ["editor"] };
    await editor().create({ code: "sub", target: "https://sub.example.com/" });
    await editor().create({ code: "own", target: "https://own.example/sub" });
    await room.links.create({ code: "admins", target: "https://x.example/" });
    expect(await refusal(editor().create({ target: "https://x.example/" }))).toBe("LinkInvalidUrl");
    await editor().patch("old", { title: "kept", tags: ["t"] });
    expect(await refusal(editor().patch("old", { target: "https://x.example/" }))).toBe("LinkInvalidUrl");
    expect(await codes({ held: "waiting" })).toEqual([]);
  });

  test("a link waits until it is approved, and a change of its target waits again", async () => {
    lists = { allow: ["example.com"], deny: [], bound: BOTH, waiting: ["editor"] };
    const made = await editor().create({ code: "w", target: EVIL, title: "x" });
    expect(readOptions(made.options).held).toEqual({
      state: "waiting",
      at: NOW,
      by: "ed",
      reason: "a.evil.example",
    });
    await editor().create({ code: "fine", target: TARGET });
    expect((await room.links.list(linkQueryOf({}, NOW))).total).toBe(2);
    expect((await room.links.list(linkQueryOf({ held: "waiting" }, NOW))).total).toBe(1);
    expect((await room.links.list(linkQueryOf({ only_dead: "true" }, NOW))).total).toBe(0);
    expect(await codes({ held: "waiting" })).toEqual(["w"]);
    expect(await refusal(room.links.create({ target: EVIL }))).toBe("LinkInvalidUrl");
    await editor().patch("w", { title: "y" });
    await editor().update("w", { target: EVIL });
    await editor().create({ code: "w", target: EVIL, force: true });
    expect(await stateOf("w")).toBe("waiting");
    const seen = new Date(NOW).toISOString();
    room.clock.time += 1;
    await editor().patch("w", { target: "https://other.example/" });
    expect(await refusal(review("w", "approve", { updatedAt: seen }))).toBe("Conflict");
    await review("w", "approve", { updatedAt: new Date(NOW + 1).toISOString() });
    expect(await codes({ held: "waiting" })).toEqual([]);
    expect(await refusal(review("w", "approve"))).toBe("Conflict");
    await editor().patch("w", { title: "z" });
    await editor().patch("w", { target: "https://other.example/b" });
    expect(await stateOf("w")).toBeUndefined();
    await editor().patch("w", { target: EVIL });
    await review("w", "refuse", { reason: "no" });
    expect(await codes({ held: "refused" })).toEqual(["w"]);
    await editor().patch("w", { target: TARGET });
    expect(await stateOf("w")).toBeUndefined();
    const recorded = await room.database.read.selectFrom("events").select("action").distinct().execute();
    expect(recorded.map(({ action }) => action).sort()).toEqual([
      "link.approve",
      "link.create",
      "link.refuse",
      "link.update",
    ]);
  });

  test("a link that was taken down stays as it is, with its evidence, until it is put back", async () => {
    await editor().create({ code: "t", target: TARGET, tags: ["x"] });
    await room.click("t", 3);
    await review("t", "take_down", { reason: "phishing" });
    const taken = await room.links.get("t");
    expect(readOptions(taken.options).held).toEqual({
      state: "taken_down",
      at: NOW,
      by: "root",
      reason: "phishing",
    });
    expect(await codes({ held: "taken_down" })).toEqual(["t"]);
    expect(await refusal(editor().patch("t", { title: "x" }))).toBe("Conflict");
    expect(await refusal(editor().patch("t", { code: "u" }))).toBe("Conflict");
    expect(await refusal(editor().update("t", { target: EVIL }))).toBe("Conflict");
    expect(await refusal(editor().create({ code: "t", target: EVIL, force: true }))).toBe("Conflict");
    expect(await refusal(room.links.create({ code: "t", target: EVIL, force: true }))).toBe("Conflict");
    expect(await refusal(editor().remove("t"))).toBe("Conflict");
    const file = Buffer.from(`code,target,held\nt,${EVIL},\n`);
    expect(await csv.import(file, { mode: "overwrite" })).toMatchObject({ success_count: 0 });
    expect(await room.links.get("t")).toEqual(taken);
    // Also through the trash of an administrator.
    await room.links.remove("t");
    const { id } = (await room.links.deleted.page(EDITOR, null, 1)).links[0]!;
    await room.links.deleted.restore(EDITOR, id, null);
    expect(await stateOf("t")).toBe("taken_down");
    await review("t", "reinstate");
    expect(await room.links.get("t")).toMatchObject({ target: TARGET, clickCount: 3, tags: ["x"] });
    await editor().patch("t", { title: "x" });
  });

  test("a full list takes a report in place of the oldest of the noisiest link", async () => {
    const { safety } = room.links;
    const made = Array.from({ length: 202 }, (_, nth) => ({ code: `n${nth}`, target: TARGET }));
    await room.links.batch.create(made);
    const ids = await Promise.all(made.map(async ({ code }) => (await room.links.get(code)).id));
    const [quiet, fresh, noisy] = ids as [number, number, number];
    // 49 of each other link, and the rest up to 10,000 of the first of them.
    const of = (link: number, count: number) =>
      Array.from({ length: count }, () => ({ link_id: link, at: NOW, reason: "spam", details: null }));
    const others = ids.slice(3).flatMap((id) => of(id, 49));
    const rows = [...of(quiet, 1), ...of(noisy, 50), ...others];
    rows.push(...of(ids[3]!, 10_000 - rows.length));
    for (let at = 0; at < rows.length; at += 1_000) {
      await room.database.dialect.insertMany(room.database.write, "link_reports", rows.slice(at, at + 1_000));
    }
    const open = async (id: number) => {
      const found = room.database.read.selectFrom("link_reports").select("id").where("link_id", "=", id);
      return (await found.where("resolved_at", "is", null).orderBy("id").execute()).map((row) => row.id);
    };
    const loudest = ids[3]!;
    const before = await open(loudest);
    expect(before.length).toBeGreaterThan(50);
    const link = { id: fresh, code: "n1" };
    expect(await safety.report(link, { reason: "phishing", details: null })).toBe(true);
    expect(await open(loudest)).toEqual(before.slice(1));
    expect([(await open(quiet)).length, (await open(fresh)).length, (await open(noisy)).length]).toEqual([
      1, 1, 50,
    ]);
    expect(await safety.report({ id: noisy, code: "n2" }, { reason: "spam", details: null })).toBe(false);
    for (let nth = 0; nth < 3; nth++) await safety.report(link, { reason: "phishing", details: null });
    expect([(await open(quiet)).length, (await open(fresh)).length]).toEqual([1, 4]);
    const all = await room.database.read.selectFrom("link_reports").select("id").execute();
    expect(all.length).toBe(10_000);
  });

  test("reports are listed, dismissed, and resolved by taking the link down; each link has a bound", async () => {
    const { id } = await room.links.create({ code: "r", target: TARGET });
    const report = { reason: "spam", details: "<b>" } as const;
    const { safety } = room.links;
    for (let count = 0; count < 50; count++) {
      expect(await safety.report({ id, code: "r" }, report)).toBe(true);
    }
    expect(await safety.report({ id, code: "r" }, report)).toBe(false);
    const page = await safety.reports(true, null, 2);
    expect(page).toMatchObject([{ code: "r", target: TARGET, ...report, at: NOW, resolvedAt: null }, {}]);
    const [first, second] = page as [(typeof page)[0], (typeof page)[0]];
    expect((await safety.reports(true, second.id, 100)).length).toBe(48);
    await safety.resolve(ADMIN, first.id, false, null);
    expect(await refusal(safety.resolve(ADMIN, first.id, false, null))).toBe("Conflict");
    expect(await refusal(safety.resolve(ADMIN, 999_999_999, false, null))).toBe("NotFound");
    expect(await stateOf("r")).toBeUndefined();
    expect(await safety.resolve(ADMIN, second.id, true, "spam")).toMatchObject({ resolvedBy: "root" });
    expect(await stateOf("r")).toBe("taken_down");
    expect(await safety.reports(true, null, 1)).toEqual([]);
    expect((await safety.reports(false, null, 100)).length).toBe(50);
    await room.links.remove("r");
    expect(await safety.reports(false, null, 1)).toEqual([]);
  });
});
