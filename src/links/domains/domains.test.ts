/** Domains and their links, on all databases. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { linkQueryOf } from "../list/query.ts";
import { keyOf } from "../link/key.ts";
import { viewOfLink } from "../link/link.ts";
import { type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  /** As in another process. */
  let other: LinksRoom;

  beforeAll(async () => {
    const database = await openDb({ threads: true });
    [room, other] = [await openLinks(database), await openLinks(database)];
  });
  beforeEach(async () => {
    await room.clear();
    await room.database.write.deleteFrom("domains").execute();
    await Promise.all([room.links.domains.load(), other.links.domains.load()]);
  });

  const add = (input: object) => room.links.domainService.create({ host: "go.example", ...input }, COMMAND);
  const keyOn = (host: string) => room.links.domains.key("a", host);
  const found = async (domain?: string) => {
    const query = linkQueryOf(
      { sort: "code", ...(domain !== undefined && { domain }) },
      NOW,
      room.links.domains.filterOf,
    );
    const { links, total } = await room.links.list(query);
    expect(total).toBe(links.length);
    return links.map(
      (link) => viewOfLink(link, "https://own.example:8443", room.links.domains.hostOf).short_url,
    );
  };

  describe("domains", () => {
    test("are added, changed and removed, and say so", async () => {
      const urls = { default_url: "https://a.example/", not_found_url: "", expired_url: null };
      const made = await add({ host: " Go.Example ", ...urls });
      expect(made).toMatchObject({ host: "go.example", defaultUrl: "https://a.example/", notFoundUrl: null });
      expect(await room.links.domainService.list(COMMAND)).toEqual([made]);
      const { domainService } = room.links;
      const changed = await domainService.update(made.id, { host: "to.example", default_url: "" }, COMMAND);
      expect(changed).toEqual({ ...made, host: "to.example", defaultUrl: null });
      expect(room.links.domains.idOf("to.example")).toBe(made.id);
      await domainService.remove(made.id, COMMAND);
      expect(await domainService.list(COMMAND)).toEqual([]);
      expect(await refusal(domainService.remove(made.id, COMMAND))).toBe("NotFound");
      expect(await refusal(domainService.update(made.id, {}, COMMAND))).toBe("NotFound");
      expect(await refusal(domainService.byHost("go.example"))).toBe("NotFound");
      const events = await room.database.read.selectFrom("events").selectAll().orderBy("id").execute();
      expect(events.slice(-3).map(({ action, subject }) => [action, subject])).toEqual([
        ["domain.create", "go.example"],
        ["domain.update", "to.example"],
        ["domain.delete", "to.example"],
      ]);
    });

    test("answer with documents, which each change replaces as a whole", async () => {
      const documents = [
        { name: "b", text: "ü" },
        { name: "assetlinks.json", text: "[]" },
      ];
      const made = await add({ well_known: documents });
      expect(made.wellKnown).toMatchObject([
        { name: "assetlinks.json", type: "application/json", size: 2, text: "[]" },
        { name: "b", type: "text/plain; charset=utf-8", size: 2, text: "ü" },
      ]);
      const { domainService, document } = room.links;
      const [listed] = await domainService.list(COMMAND);
      expect(listed!.wellKnown.map((one) => [one.name, one.size, one.text])).toEqual([
        ["assetlinks.json", 2, undefined],
        ["b", 2, undefined],
      ]);
      expect(await domainService.get(made.id, COMMAND)).toMatchObject(made);
      expect((await domainService.update(made.id, { default_url: "" }, COMMAND)).wellKnown).toEqual(
        made.wellKnown,
      );
      expect([...room.links.domains.of("GO.example:8443")!.documents]).toEqual(["assetlinks.json", "b"]);
      expect(await document(made.id, "b")).toEqual({
        name: "b",
        type: "text/plain; charset=utf-8",
        text: "ü",
      });
      expect(await document(made.id, "B")).toBeNull();
      await domainService.update(made.id, { well_known: [{ name: "c", text: "x" }] }, COMMAND);
      expect([...room.links.domains.of("go.example")!.documents]).toEqual(["c"]);
      const events = await room.database.read.selectFrom("events").select("after").orderBy("id").execute();
      expect(events.at(-1)!.after).toContain("sha256");
      expect(JSON.parse(events.at(-1)!.after!).well_known[0].text).toBeUndefined();
      for (const well_known of [[{ name: "../x", text: "" }], [{ name: "assetlinks.json", text: "{" }]])
        expect(await refusal(domainService.update(made.id, { well_known }, COMMAND))).toBe("BadRequest");
      await domainService.update(made.id, { well_known: null }, COMMAND);
      expect((await domainService.get(made.id, COMMAND)).wellKnown).toEqual([]);
      await domainService.update(made.id, { well_known: documents }, COMMAND);
      await domainService.remove(made.id, COMMAND);
      expect(await document(made.id, "b")).toBeNull();
    });

    test("are told from the hosts of strangers", async () => {
      await add({ host: "bücher.example" });
      const ours = (text: string) => room.links.domains.isOurs(text, "https://own.example:8443");
      expect(["bücher.example", "XN--BCHER-KVA.example", "own.example"].map(ours)).toEqual([
        true,
        true,
        true,
      ]);
      for (const text of [
        "",
        "a.own.example",
        "own.example:443",
        "own.example/x",
        "a".repeat(100_000),
        "127.0.0.1",
      ])
        expect(ours(text)).toBe(false);
      expect(room.links.domains.isOurs("", "")).toBe(false);
    });

    test("have different hosts", async () => {
      const first = await add({});
      const second = await add({ host: "b.example" });
      expect(await refusal(add({ host: "GO.example" }))).toBe("Conflict");
      const { update } = room.links.domainService;
      expect(await refusal(update(second.id, { host: first.host }, COMMAND))).toBe("Conflict");
    });

    test("are not the default one", async () => {
      const own = await openLinks(room.database, { publicUrl: () => "https://go.example:8443" });
      const create = (host: string) => refusal(own.links.domainService.create({ host }, COMMAND));
      expect([await create("GO.example"), await create("a.go.example")]).toEqual(["Conflict", "no error"]);
      const made = await own.links.create({ code: "own", domain: "GO.example", target: TARGET });
      expect([made.code, (await own.links.get("own")).target]).toEqual(["own", TARGET]);
    });

    test("do not lead to themselves", async () => {
      for (const urls of [
        { default_url: "http://go.example:8080" },
        { not_found_url: "https://GO.example/sorry" },
        { expired_url: "https://go.example./sorry" },
        { default_url: "ftp://a.example" },
        { not_found_url: "nowhere" },
      ]) {
        expect(await refusal(add(urls))).toBe("BadRequest");
      }
      await add({ default_url: "https://go.example/start", not_found_url: "https://www.go.example/" });
    });

    test("with links or aliases stay", async () => {
      const { id } = await add({});
      await room.links.create({ code: "a", domain: "go.example", target: TARGET });
      const { remove } = room.links.domainService;
      expect(await refusal(remove(id, COMMAND))).toBe("Conflict");
      await room.links.remove(keyOn("go.example"));
      await room.links.create({ code: "a", target: TARGET });
      const { id: linkId } = await room.links.get("a");
      const alias = { code: keyOf(id, "alias"), link_id: linkId, created_at: NOW };
      await room.database.write.insertInto("link_aliases").values(alias).execute();
      expect(await refusal(remove(id, COMMAND))).toBe("Conflict");
      await room.database.write.deleteFrom("link_aliases").execute();
      await remove(id, COMMAND);
    });

    test("that go while a link is made leave no link behind", async () => {
      for (let round = 0; round < 5; round++) {
        const { id, host } = await add({});
        await other.links.domains.load();
        const [made, removed] = await Promise.all([
          refusal(other.links.create({ code: "a", domain: host, target: TARGET })),
          refusal(room.links.domainService.remove(id, COMMAND)),
        ]);
        expect([
          ["no error", "Conflict"],
          ["BadRequest", "no error"],
        ]).toContainEqual([made, removed]);
        await room.clear();
        await room.database.write.deleteFrom("domains").execute();
        await room.links.domains.load();
      }
    });
  });

  describe("links", () => {
    test("have the same code on several domains, each with its own content", async () => {
      await add({});
      await add({ host: "b.example" });
      for (const domain of [undefined, "go.example", "B.example"]) {
        await room.links.create({ code: "a", domain, target: `${TARGET}${domain ?? ""}` });
      }
      expect(await refusal(room.links.create({ code: "a", domain: "go.example", target: TARGET }))).toBe(
        "LinkAlreadyExists",
      );
      expect((await room.links.get(keyOn("b.example"))).target).toBe(`${TARGET}B.example`);
      await room.links.update(keyOn("go.example"), { target: "https://new.example/", domain: "go.example" });
      await room.click(keyOn("go.example"), 3);
      expect((await room.links.get(keyOn("go.example"))).clickCount).toBe(3);
      expect((await room.links.get("a")).target).toBe(TARGET);
      expect(await found()).toEqual(["https://own.example:8443/a"]);
      expect(await found("go.example")).toEqual(["https://go.example/a"]);
      expect(await found("*")).toEqual([
        "https://own.example:8443/a",
        "https://go.example/a",
        "https://b.example/a",
      ]);
      await room.links.remove(keyOn("go.example"));
      expect((await found("*")).length).toBe(2);
      const { events } = await room.events.page({ action: "link.delete" }, null, 1);
      expect([events[0]!.subject, JSON.parse(events[0]!.before!).domain]).toEqual(["a", "go.example"]);
    });

    test("stay on their domain, which must exist", async () => {
      await add({});
      await room.links.create({ code: "a", target: TARGET });
      const update = (domain: string) => refusal(room.links.update("a", { target: TARGET, domain }));
      expect([await update(""), await update("go.example"), await update("x.example")]).toEqual([
        "no error",
        "BadRequest",
        "BadRequest",
      ]);
      expect(await refusal(room.links.create({ domain: "x.example", target: TARGET }))).toBe("BadRequest");
    });

    test("move with their counts, and may leave an alias behind", async () => {
      const { id } = await add({});
      await add({ host: "b.example" });
      await room.links.create({ code: "a", target: TARGET });
      await room.click("a", 5);
      const move = (from: string, input: object) => room.links.patch(from, input);
      expect((await move("a", { domain: "go.example" })).clickCount).toBe(5);
      expect(await refusal(room.links.get("a"))).toBe("LinkNotFound");
      await move(keyOn("go.example"), { domain: "b.example", code: "c", keep_old: true, title: "t" });
      expect(await found("*")).toEqual(["https://b.example/c"]);
      room.database.refreshLookups();
      const [byAlias, byCode] = await Promise.all(
        [keyOn("go.example"), room.links.domains.key("c", "b.example")].map(room.database.findLink),
      );
      expect(byAlias?.id).toBe(byCode!.id);
      expect(await refusal(room.links.domainService.remove(id, COMMAND))).toBe("Conflict");
      await move(room.links.domains.key("c", "b.example"), { domain: "go.example", code: "a" });
      expect(await found("*")).toEqual(["https://go.example/a"]);
      await room.links.create({ code: "a", target: TARGET });
      expect(await refusal(move("a", { domain: "go.example" }))).toBe("LinkAlreadyExists");
      expect(await refusal(move("a", { domain: "x.example" }))).toBe("BadRequest");
      await move(keyOn("go.example"), { domain: "", code: "b" });
      expect(await found()).toEqual(["https://own.example:8443/a", "https://own.example:8443/b"]);
      await move("b", { domain: "go.example" });
      expect((await move(room.links.domains.key("b", "go.example"), { domain: null })).code).toBe("b");
      expect((await move("b", { domain: null, title: "stays" })).code).toBe("b");
      await room.links.domainService.remove(id, COMMAND);
    });

    test("with random codes are free on their own domain", async () => {
      await add({});
      const made = await room.links.create({ domain: "go.example", target: TARGET });
      expect(room.links.domains.nameOf(made.code)).toEqual({
        code: expect.stringMatching(/^[A-Za-z0-9]{6}$/),
        domain: "go.example",
      });
    });

    test("are found by their code, not by what marks the domain", async () => {
      await add({});
      await room.links.create({ code: "needle", domain: "go.example", target: TARGET });
      const total = async (search: string) =>
        (await room.links.list(linkQueryOf({ search, domain: "*" }, NOW, room.links.domains.filterOf))).total;
      expect([await total("EEDL"), await total("~"), await total("0"), await total("1")]).toEqual([
        1, 0, 0, 0,
      ]);
    });

    test("of a batch name their domain each", async () => {
      await add({});
      const item = { code: "a", target: TARGET };
      const made = await room.links.batch.create([
        item,
        { ...item, domain: "go.example" },
        { ...item, domain: "x.example" },
      ]);
      expect(made.success).toEqual(["a", "a"]);
      expect(made.failed).toMatchObject([{ code: "a", error_code: 1000 }]);
      const payload = { target: "https://new.example/" };
      const changed = await room.links.batch.update([
        { code: "a", domain: "go.example", payload },
        { code: "a", domain: "go.example", payload: { ...payload, domain: "" } },
      ]);
      expect([changed.success, changed.failed.length]).toEqual([["a"], 1]);
      expect((await room.links.get("a")).target).toBe(TARGET);
      const removed = await room.links.batch.remove([{ code: "a", domain: "go.example" }, "b", 5]);
      expect(removed.success).toEqual(["a"]);
      expect(removed.failed.map(({ error_code }) => error_code)).toEqual([3000, 1000]);
      expect(await found("*")).toEqual(["https://own.example:8443/a"]);
    });
  });
});
