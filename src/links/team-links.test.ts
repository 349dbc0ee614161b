/** Links of teams, and what members with each role may do with them, on every database. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import type { TeamRole } from "../lib/access.ts";
import { type Actor, COMMAND } from "../lib/actor.ts";
import { ownerOfTeam } from "../lib/owner.ts";
import { type LinksRoom, openLinks, refusal, TARGET } from "./links.test-support.ts";
import { parseBulkId } from "./bulk-id.ts";
import { linkQueryOf } from "./list/query.ts";

const [PRESS, SALES] = [-2, -3];
const NAMES = { [PRESS]: "press", [SALES]: "sales" };

const member = (accountId: number, ...teams: [number, TeamRole][]): Actor => ({
  name: `account ${accountId}`,
  via: "panel",
  accountId,
  ownOnly: true,
  teams: new Map(teams),
});
const VIEWER = member(21, [PRESS, "viewer"]);
const EDITOR = member(22, [PRESS, "editor"]);
const MANAGER = member(23, [PRESS, "manager"], [SALES, "editor"]);
const STRANGER = member(24, [SALES, "manager"]);

forEachDialect((dialect) => {
  let room: LinksRoom;

  beforeAll(async () => void (room = await openLinks(await dialect.openDb())));

  beforeEach(async () => {
    await room.clear();
    const db = room.database.write;
    await db.deleteFrom("teams").execute();
    await db.deleteFrom("users").execute();
    const at = { created_at: 1, updated_at: 1 };
    for (const [id, name] of Object.entries(NAMES)) {
      await db
        .insertInto("teams")
        .values({ id: ownerOfTeam(Number(id)), name, ...at })
        .execute();
    }
    const user = { password_hash: "", role: "editor", disabled: 0, quota_bytes: 0, ...at };
    for (const id of [21, 22, 23, 24]) {
      await db
        .insertInto("users")
        .values({ id, username: `user${id}`, ...user })
        .execute();
    }
    await room.links.create({ code: "ours", target: TARGET, owner: "team:press", tags: ["a", "b"] });
    await room.links.create({ code: "theirs", target: TARGET, owner: "team:sales", tags: ["a"] });
    await room.links.by(EDITOR).create({ code: "mine", target: TARGET, tags: ["a"] });
  });

  const list = async (actor: Actor, query: object = {}) => {
    const linkQuery = linkQueryOf(await room.links.owners.resolved(query), 0);
    const { links, total } = await room.links.by(actor).list(linkQuery);
    expect(total).toBe(links.length);
    return links.map(({ code }) => code).sort();
  };

  test("responses name the owner", async () => {
    const named = async (code: string) => (await room.links.get(code)).ownerName;
    expect([await named("ours"), await named("mine")]).toEqual(["team:press", "user22"]);
    await room.links.create({ code: "none", target: TARGET });
    expect(await named("none")).toBeNull();
    const { links } = await room.links.list(linkQueryOf({ sort: "code" }, 0));
    expect(links.map(({ ownerName }) => ownerName)).toEqual(["user22", null, "team:press", "team:sales"]);
  });

  test("lists, tags and reports have what the account and its teams own; owner and team narrow them", async () => {
    expect(await list(VIEWER)).toEqual(["ours"]);
    expect(await list(EDITOR)).toEqual(["mine", "ours"]);
    expect(await list(EDITOR, { sort: "code", tag: ["a"] })).toEqual(["mine", "ours"]);
    expect(await list(MANAGER)).toEqual(["ours", "theirs"]);
    expect(await list(EDITOR, { team: "press" })).toEqual(["ours"]);
    expect(await list(EDITOR, { owner: "team:PRESS" })).toEqual(["ours"]);
    expect(await list(EDITOR, { owner: "user22" })).toEqual(["mine"]);
    expect(await list(EDITOR, { team: "sales" })).toEqual([]);
    expect(await list(EDITOR, { owner: "user22", team: "press" })).toEqual([]);
    expect(await list(COMMAND, { owner: "22" })).toEqual(["mine"]);
    expect(await list(COMMAND, { owner: "no.such.account" })).toEqual([]);
    expect(await room.links.by(EDITOR).tags.list()).toEqual([
      { tag: "a", links: 2 },
      { tag: "b", links: 1 },
    ]);
    expect(await room.links.by(STRANGER).tags.list()).toEqual([{ tag: "a", links: 1 }]);
    const { id } = await room.links.get("ours");
    expect(await room.links.by(EDITOR).chosen({ team: "press" })).toEqual({ ids: [id] });
    expect(await room.links.by(EDITOR).chosen({ owner: "team:sales" })).toEqual({ ids: [] });
    expect(await refusal(room.links.by(EDITOR).chosen({ code: ["theirs"] }))).toBe("LinkNotFound");
  });

  describe("of a team", () => {
    test("viewers read, editors and managers change, others find nothing", async () => {
      for (const [actor, read, write] of [
        [VIEWER, "no error", "Forbidden"],
        [EDITOR, "no error", "no error"],
        [MANAGER, "no error", "no error"],
        [STRANGER, "LinkNotFound", "LinkNotFound"],
      ] as const) {
        const links = room.links.by(actor);
        const target = `${TARGET}${actor.accountId}`;
        expect([actor.name, await refusal(links.get("ours"))]).toEqual([actor.name, read]);
        expect([actor.name, await refusal(links.update("ours", { target }))]).toEqual([actor.name, write]);
        const patched = await refusal(links.patch("ours", { title: actor.name }));
        expect([actor.name, patched]).toEqual([actor.name, write]);
        const batch = await links.batch.update([{ code: "ours", payload: { target } }]);
        const code = { Forbidden: 1003, LinkNotFound: 3000, "no error": undefined }[write];
        expect(batch.failed[0]?.error_code).toBe(code);
        const all = { filter: {}, confirm: "all", action: "delete", dry_run: true } as const;
        const own = actor === EDITOR || actor === MANAGER ? 2 : actor === STRANGER ? 1 : 0;
        expect([actor.name, (await links.queryBatch(all)).matched]).toEqual([actor.name, own]);
      }
      expect(await refusal(room.links.by(VIEWER).remove("ours"))).toBe("Forbidden");
      expect(await refusal(room.links.by(VIEWER).tags.remove("a"))).toBe("NotFound");
      await room.links.by(EDITOR).remove("ours");
      const [deleted] = (await room.links.deleted.page(VIEWER, null, 10)).links;
      expect(deleted!.code).toBe("ours");
      expect(await refusal(room.links.deleted.restore(VIEWER, deleted!.id, null))).toBe("Forbidden");
      expect(await refusal(room.links.deleted.restore(STRANGER, deleted!.id, null))).toBe("LinkNotFound");
      await room.links.deleted.restore(EDITOR, deleted!.id, null);
      expect((await room.links.get("ours")).ownerName).toBe("team:press");
    });

    test("editors make links, viewers and strangers don't", async () => {
      const make = (actor: Actor, owner: string) => room.links.by(actor).create({ target: TARGET, owner });
      expect((await make(EDITOR, "team:press")).ownerName).toBe("team:press");
      expect(await refusal(make(VIEWER, "team:press"))).toBe("Forbidden");
      expect(await refusal(make(STRANGER, "team:press"))).toBe("Forbidden");
      expect(await refusal(make(EDITOR, "user21"))).toBe("Forbidden");
      // As for the team of others: it reveals to nobody which names exist.
      expect(await refusal(make(EDITOR, "team:nobody"))).toBe("Forbidden");
    });
  });

  test("owners, managers and administrators give links away, with the counts of their tags and an event", async () => {
    const give = (actor: Actor, code: string, owner: string) =>
      refusal(room.links.by(actor).patch(code, { owner }));
    expect(await give(EDITOR, "ours", "user22")).toBe("Forbidden");
    expect(await give(MANAGER, "ours", "user22")).toBe("Forbidden");
    expect(await give(VIEWER, "ours", "user21")).toBe("Forbidden");
    expect(await give(STRANGER, "ours", "user24")).toBe("LinkNotFound");
    expect(await give(EDITOR, "mine", "team:sales")).toBe("Forbidden");
    expect(await give(EDITOR, "mine", "team:press")).toBe("no error");
    expect(await list(VIEWER)).toEqual(["mine", "ours"]);
    expect(await room.links.by(VIEWER).tags.list()).toEqual([
      { tag: "a", links: 2 },
      { tag: "b", links: 1 },
    ]);
    expect(await give(MANAGER, "ours", "team:sales")).toBe("no error");
    expect(await room.links.by(VIEWER).tags.list()).toEqual([{ tag: "a", links: 1 }]);
    expect(await give(COMMAND, "ours", "admin")).toBe("no error");
    expect((await room.links.get("ours")).ownerName).toBe("admin");
    const { events } = await room.events.page({ subject: "ours", action: "link.update" }, null, 1);
    expect([JSON.parse(events[0]!.before!).owner, JSON.parse(events[0]!.after!).owner]).toEqual([
      "team:sales",
      "admin",
    ]);
  });

  const ownerOf = async (code: string) => (await room.links.get(code)).ownerName;

  test("replacements and batches give links away, each by the rights on its own link", async () => {
    await room.links.by(MANAGER).create({ code: "m", target: TARGET, owner: "team:sales" });
    await room.links.by(MANAGER).update("ours", { target: TARGET, owner: "team:sales" });
    expect(await ownerOf("ours")).toBe("team:sales");
    await room.links.update("ours", { target: TARGET, owner: "team:press" });
    const payload = { target: TARGET, owner: "team:press" };
    const items = ["ours", "theirs", "mine"].map((code) => ({ code, payload }));
    const changed = await room.links
      .by(EDITOR)
      .batch.update([...items, { code: "mine", payload: { ...payload, owner: "nobody" } }]);
    expect(changed.success).toEqual(["ours", "mine"]);
    expect(changed.failed.map(({ error_code }) => error_code)).toEqual([3000, 1003]);
    expect([await ownerOf("theirs"), await ownerOf("mine")]).toEqual(["team:sales", "team:press"]);
    const refused = await room.links
      .by(EDITOR)
      .batch.update([{ code: "ours", payload: { target: TARGET, owner: "user22" } }]);
    expect(refused.failed.map(({ error_code }) => error_code)).toEqual([1003]);
    const made = await room.links.by(EDITOR).batch.create([
      { code: "b1", target: TARGET, owner: "team:press" },
      { code: "b2", target: TARGET, owner: "team:sales" },
      { code: "b3", target: TARGET },
    ]);
    expect([made.success, made.failed.map(({ error_code }) => error_code)]).toEqual([["b1", "b3"], [1003]]);
    expect([await ownerOf("b1"), await ownerOf("b3")]).toEqual(["team:press", "user22"]);
  });

  test("overwriting gives a link to the named owner, if its actor may give it away, and else keeps its owner", async () => {
    const overwrite = (actor: Actor, code: string, owner?: string) =>
      refusal(
        room.links.by(actor).create({ code, target: `${TARGET}new`, force: true, ...(owner && { owner }) }),
      );
    expect(await overwrite(EDITOR, "ours")).toBe("no error");
    expect(await overwrite(EDITOR, "ours", "team:press")).toBe("no error");
    expect(await overwrite(EDITOR, "ours", "user22")).toBe("Forbidden");
    expect(await ownerOf("ours")).toBe("team:press");
    expect(await overwrite(EDITOR, "mine", "team:press")).toBe("no error");
    expect(await overwrite(COMMAND, "theirs", "user24")).toBe("no error");
    expect([await ownerOf("mine"), await ownerOf("theirs")]).toEqual(["team:press", "user24"]);
    expect(await list(VIEWER)).toEqual(["mine", "ours"]);
    const { events } = await room.events.page({ subject: "mine", action: "link.update" }, null, 1);
    expect([JSON.parse(events[0]!.before!).owner, JSON.parse(events[0]!.after!).owner]).toEqual([
      "user22",
      "team:press",
    ]);
    const item = { code: "ours", target: TARGET, force: true, owner: "user22" };
    const { failed } = await room.links.by(EDITOR).batch.create([item, { ...item, owner: "team:press" }]);
    expect(failed.map(({ error_code }) => error_code)).toEqual([1003]);
    expect(await room.links.by(VIEWER).tags.list()).toEqual([]);
  });

  test("a change by filter gives links away, and its undo gives them back with the counts of their tags", async () => {
    const tags = () => room.links.by(STRANGER).tags.list();
    const before = await tags();
    const set = { owner: "team:sales", add_tags: ["c"] };
    const all = { filter: {}, action: "update", confirm: "all", set } as const;
    const mine = await room.links.by(MANAGER).queryBatch(all);
    expect([mine.matched, mine.changed]).toEqual([2, 2]);
    await room.links.patch("ours", { owner: "team:press" });
    const done = await room.links.queryBatch(all);
    expect([done.matched, done.changed]).toEqual([3, 2]);
    for (const code of ["ours", "mine", "theirs"])
      expect([code, await ownerOf(code)]).toEqual([code, "team:sales"]);
    await room.links.patch("ours", { owner: "admin" });
    const { failed, restored } = await room.links.undoBatch(parseBulkId(done.change!), 0);
    expect([failed.map(({ code, error }) => [code, error.name]), restored]).toEqual([
      [["ours", "Conflict"]],
      1,
    ]);
    expect([await ownerOf("ours"), await ownerOf("mine"), await ownerOf("theirs")]).toEqual([
      "admin",
      "user22",
      "team:sales",
    ]);
    expect((await tags()).filter(({ tag }) => tag !== "c")).toEqual(before);
    expect(await refusal(room.links.by(VIEWER).queryBatch({ ...all, set: { owner: "team:sales" } }))).toBe(
      "Forbidden",
    );
  });

  test("a domain of a team takes links of its editors alone, who also change where it leads", async () => {
    const { domainService } = room.links;
    const domain = { domain: "press.example" };
    await room.database.write.deleteFrom("domains").execute();
    const { id } = await domainService.create({ host: domain.domain, owner: "team:press" }, COMMAND);
    await domainService.create({ host: "open.example" }, COMMAND);
    await room.links.domains.load();
    const seen = async (actor: Actor) =>
      (await domainService.list(actor)).map(({ host, owner }) => [host, owner]);
    const open = ["open.example", null];
    expect(await seen(STRANGER)).toEqual([open]);
    expect(await seen(VIEWER)).toEqual([open, ["press.example", "team:press"]]);
    const make = (actor: Actor) => refusal(room.links.by(actor).create({ target: TARGET, ...domain }));
    expect(await Promise.all([VIEWER, STRANGER, EDITOR, COMMAND].map(make))).toEqual([
      "Forbidden",
      "Forbidden",
      "no error",
      "no error",
    ]);
    const available = (actor: Actor) => room.links.by(actor).available("free", domain.domain);
    expect(await Promise.all([VIEWER, STRANGER, EDITOR, COMMAND].map(available))).toEqual([
      { available: false, reason: "closed" },
      { available: false, reason: "closed" },
      { available: true },
      { available: true },
    ]);
    expect(await refusal(room.links.by(STRANGER).patch("theirs", domain))).toBe("Forbidden");
    expect(await refusal(room.links.by(EDITOR).patch("mine", domain))).toBe("no error");
    const moved = { filter: {}, action: "update", set: domain, confirm: "all" } as const;
    expect(await room.links.by(STRANGER).queryBatch(moved)).toMatchObject({ matched: 1, changed: 0 });
    const batch = await room.links.by(STRANGER).batch.create([
      { target: TARGET, ...domain },
      { target: TARGET, domain: "open.example" },
    ]);
    expect([batch.success.length, batch.failed.map(({ error_code }) => error_code)]).toEqual([1, [1003]]);
    const change = (actor: Actor, input: object) => refusal(domainService.update(id, input, actor));
    const url = { default_url: "https://a.example/" };
    expect(await Promise.all([STRANGER, VIEWER, EDITOR].map((actor) => change(actor, url)))).toEqual([
      "NotFound",
      "Forbidden",
      "no error",
    ]);
    expect(await change(MANAGER, { host: "other.example" })).toBe("Forbidden");
    expect(await change(EDITOR, { owner: "user22" })).toBe("Forbidden");
    expect(await change(MANAGER, { owner: "" })).toBe("Forbidden");
    expect(await change(MANAGER, { owner: "team:sales" })).toBe("no error");
    const { events } = await room.events.page({ action: "domain.update" }, null, 1);
    expect([JSON.parse(events[0]!.before!).owner, JSON.parse(events[0]!.after!).owner]).toEqual([
      "team:press",
      "team:sales",
    ]);
    expect(await change(COMMAND, { owner: null })).toBe("no error");
    expect(await seen(EDITOR)).toContainEqual(["press.example", null]);
  });

  test("a link on a domain that was closed meanwhile keeps its codes and takes no new one", async () => {
    const { domainService, domains } = room.links;
    await room.database.write.deleteFrom("domains").execute();
    const { id, host } = await domainService.create({ host: "press.example", ignore_case: false }, COMMAND);
    await domains.load();
    const { patch } = room.links.by(STRANGER);
    const key = (code: string) => domains.key(code, host);
    await room.links.by(STRANGER).create({ code: "One", domain: host, target: TARGET });
    await patch(key("One"), { code: "Two", keep_old: true });
    await domainService.update(id, { owner: "team:press" }, COMMAND);
    await domains.load();
    for (const input of [{ code: "three" }, { code: "three", keep_old: true }, { code: "two" }])
      expect([input, await refusal(patch(key("Two"), input))]).toEqual([input, "Forbidden"]);
    expect(await patch(key("Two"), { title: "t", code: "Two" })).toMatchObject({ title: "t" });
    // Its own alias.
    expect(await patch(key("Two"), { code: "One", keep_old: true })).toMatchObject({ code: key("One") });
    await domainService.update(id, { ignore_case: true }, COMMAND);
    await domains.load();
    // Its own code, in lower case.
    const again = { filter: { domain: host }, action: "update", set: { domain: host } } as const;
    expect(await room.links.by(STRANGER).queryBatch(again)).toMatchObject({ matched: 1, changed: 1 });
    expect(await refusal(patch(key("one"), { code: "four" }))).toBe("Forbidden");
    await domainService.update(id, { owner: "team:sales" }, COMMAND);
    expect(await patch(key("one"), { code: "four" })).toMatchObject({ code: key("four") });
  });

  test("a deleted link comes back under another code on a domain only for those who make links there", async () => {
    const { domainService, deleted } = room.links;
    await room.database.write.deleteFrom("domains").execute();
    const { id, host } = await domainService.create({ host: "press.example" }, COMMAND);
    await room.links.domains.load();
    const made = await room.links.by(STRANGER).create({ code: "s", domain: host, target: TARGET });
    await room.links.by(STRANGER).remove(made.code);
    await domainService.update(id, { owner: "team:press" }, COMMAND);
    await room.links.domains.load();
    const restored = (code: string | null) => refusal(deleted.restore(STRANGER, made.id, code));
    expect(await restored("t")).toBe("Forbidden");
    expect(await restored(null)).toBe("no error");
    await room.links.by(STRANGER).remove(made.code);
    await domainService.update(id, { owner: "team:sales" }, COMMAND);
    expect(await restored("t")).toBe("no error");
  });

  test("pages of deleted links name the owner and are narrowed by it", async () => {
    for (const code of ["ours", "theirs", "mine"]) await room.links.remove(code);
    const page = async (actor: Actor, owners?: number[]) =>
      (await room.links.deleted.page(actor, null, 10, { owners: owners ?? null })).links
        .map(({ ownerName }) => ownerName)
        .sort();
    expect(await page(COMMAND)).toEqual(["team:press", "team:sales", "user22"]);
    expect(await page(EDITOR)).toEqual(["team:press", "user22"]);
    expect(await page(EDITOR, [PRESS])).toEqual(["team:press"]);
    expect(await page(EDITOR, [SALES])).toEqual([]);
  });
});
