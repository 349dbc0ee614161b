import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import type { ActorLinks } from "../../links/actor-links.ts";
import { ASKS_NOTHING } from "../../links/link/drop-fields.ts";
import { refusal } from "../drive.test-support.ts";
import type { ShareChange } from "./plan.ts";
import { startShares, type SharesHarness } from "../shares/shares.test-support.ts";

const URL_A = "https://a.example/";
const URL_B = "https://b.example/";
const LIMITS = { max_bytes: 1_000, max_files: 3 };

forEachDialect((dialect) => {
  let at: SharesHarness;
  let me: number;
  let actor: Actor;
  let links: ActorLinks;
  beforeAll(async () => {
    at = await startShares(await dialect.openDb({ poolSize: 8 }));
  });
  beforeEach(async () => {
    me = await at.account();
    actor = at.actor(me);
    links = at.service.by(actor);
  });
  afterEach(async () => expect(await at.mismatches()).toEqual([]));
  afterAll(() => at?.close());

  const file = async (name = "file", account = me) => (await at.upload(account, null, name)).id;
  const folder = (name = "folder", account = me) => at.folder(account, null, name);
  const share = async (id: number, input: object = {}) =>
    (await at.shares.create(me, { kind: "file", id }, input, actor)).code;
  const link = async (input: object = {}) => (await links.create({ target: URL_A, ...input })).code;
  const idOf = async (code: string) => (await links.get(code)).id;
  const patch = (code: string, change: ShareChange) => at.changes.patch(me, code, change, actor);
  const patchLink = (code: string, change: object, by = actor) =>
    at.changes.patchLink(by.accountId!, code, change, by);
  const only = async (accountId: number | null = me) =>
    (await at.shares.page({ accountId }, { page: 1, pageSize: 100 })).shares;

  describe("a share", () => {
    test("changes in what is given; the history tells what was before", async () => {
      const code = await share(await file(), { max_downloads: 2, title: "Plan" });
      const id = await idOf(code);
      expect(await at.shares.count(id)).toBe(true);
      const changed = await patch(code, {
        expires_at: "1d",
        password: "a long one",
        max_downloads: 1,
        title: null,
      });
      expect(changed).toMatchObject({
        expiresAt: at.time.now + 86_400_000,
        passwordHash: "hash of a long one",
        maxDownloads: 1,
        downloads: 1,
        title: null,
        kind: "file",
      });
      expect(await at.shares.count(id)).toBe(false);
      expect(await patch(code, { max_downloads: null })).toMatchObject({ maxDownloads: null, downloads: 1 });
      expect(await at.shares.count(id)).toBe(true);
      expect(await patch(code, { expires_at: "", password: null })).toMatchObject({
        expiresAt: null,
        passwordHash: null,
        downloads: 2,
      });
      const history = await at.history(id);
      expect(history.map(({ action }) => action)).toEqual(["share.create", ...Array(3).fill("share.update")]);
      expect(history[0]!.after).toMatchObject({ title: "Plan", max_downloads: 2 });
      expect([history[1]!.before, history[1]!.after]).toMatchObject([
        { title: "Plan", max_downloads: 2 },
        { max_downloads: 1, password: "[REDACTED]" },
      ]);
      expect(history[2]!.after).toEqual({ max_downloads: null });
    });

    test("of another account does not exist, also for administrators", async () => {
      const code = await share(await file());
      const other = await at.account();
      for (const by of [at.actor(other), { ...at.actor(other), ownOnly: false }]) {
        expect(await refusal(at.changes.patch(other, code, { title: "x" }, by))).toBe("LinkNotFound");
        expect(await refusal(at.shares.end(other, code, by))).toBe("LinkNotFound");
      }
      const url = await link();
      expect(await refusal(patch(url, { title: "x" }))).toBe("LinkNotFound");
      expect(await refusal(at.shares.end(me, url, actor))).toBe("LinkNotFound");
      expect(await refusal(patch("nobody.has.this", {}))).toBe("LinkNotFound");
    });

    test("ends by its code, with its aliases", async () => {
      const code = await share(await file());
      const renamed = crypto.randomUUID();
      await patchLink(code, { code: renamed, keep_old: true });
      expect(await refusal(patch(code, { title: "x" }))).toBe("LinkNotFound");
      expect(await patch(renamed, { title: "kept" })).toMatchObject({ code: renamed, title: "kept" });
      at.changed.length = 0;
      await at.shares.end(me, renamed, actor);
      expect(at.changed.toSorted()).toEqual([code, renamed].toSorted());
      expect(await only()).toEqual([]);
    });

    test("tells caches of its aliases when its file goes", async () => {
      const id = await file();
      const code = await share(id);
      const renamed = crypto.randomUUID();
      await patchLink(code, { code: renamed, keep_old: true });
      at.changed.length = 0;
      await at.files.remove(me, id);
      expect(at.changed.toSorted()).toEqual([code, renamed].toSorted());
    });
  });

  describe("a code", () => {
    test("goes from URL to file, folder, drop box and back, twice, and stays the same link", async () => {
      const code = await link({ title: "Flyer", expires_at: "30d", password: "a long one", tags: ["print"] });
      const { id, createdAt, expiresAt } = await links.get(code);
      await at.database.write
        .updateTable("link_clicks")
        .set({ clicks: 7, automated: 2 })
        .where("link_id", "=", id)
        .execute();
      const [fileId, folderId] = [await file(), await folder()];
      const same = {
        code,
        createdAt,
        expiresAt,
        title: "Flyer",
        passwordHash: "hash of a long one",
        clickCount: 7,
        automatedClicks: 2,
        tags: ["print"],
      };
      for (const downloads of [0, 1]) {
        at.changed.length = 0;
        expect(await patchLink(code, { file_id: fileId, password: "a long one" })).toMatchObject({
          ...same,
          kind: "file",
          entry: { id: fileId, name: "file" },
          downloads,
        });
        expect(at.changed).toEqual([code]);
        expect(await at.shares.find(id)).toMatchObject({ kind: "file", entryId: fileId, accountId: me });
        if (downloads === 0) await at.shares.finish(id);
        expect(await patch(code, { folder_id: folderId, max_downloads: 9 })).toMatchObject({
          ...same,
          kind: "folder",
          entry: { id: folderId },
          maxDownloads: 9,
        });
        expect(await patch(code, { drop: { folder_id: folderId, ...LIMITS } })).toMatchObject({
          ...same,
          kind: "drop",
          maxDownloads: null,
          drop: {
            maxBytes: 1_000,
            maxFiles: 3,
            maxFileSize: null,
            isTwoWay: false,
            ...ASKS_NOTHING,
            bytes: 0,
            files: 0,
          },
        });
        expect(await at.shares.find(id)).toBeNull();
        expect(await patch(code, { target: URL_B })).toMatchObject({ ...same, kind: "url", downloads: 1 });
        expect(await only()).toEqual([]);
        expect(await links.get(code)).toMatchObject({ ...same, id, target: URL_B });
      }
      const actions = (await at.history(id)).map(({ action }) => action);
      const round = ["share.update", "share.update", "share.update", "link.update"];
      expect(actions).toEqual(["link.create", ...round, ...round]);
      const [, first, , third, fourth] = await at.history(id);
      expect([first!.before.target, first!.after.target]).toEqual([URL_A, `waymark:file/${fileId}`]);
      expect(third!.after).toMatchObject({ target: `waymark:drop/${folderId}`, ...LIMITS });
      expect(third!.before).toMatchObject({ max_downloads: 9, max_files: null });
      expect(fourth!.before).toMatchObject(LIMITS);
      expect(fourth!.after).toMatchObject({ target: URL_B, max_files: null });
    });

    test("keeps downloads that end after it became a URL", async () => {
      const code = await share(await file(), { max_downloads: 5 });
      const id = await idOf(code);
      for (let n = 0; n < 3; n++) await at.shares.count(id);
      expect(await patch(code, { target: URL_A })).toMatchObject({ downloads: 3 });
      await at.shares.uncount(id);
      await at.shares.finish(id);
      await at.shares.finish(id);
      expect(await at.shares.count(id)).toBe(false);
      expect(await patchLink(code, { file_id: await file("next") })).toMatchObject({
        downloads: 4,
        maxDownloads: null,
      });
    });

    test("loses what only a URL can have, and takes none of it as a share", async () => {
      const options = { max_clicks: 3, starts_at: "2027-01-01T00:00:00Z", redirect_status: 301 };
      const code = await link({ ...options, fallback_url: URL_B, forward_query: true });
      const id = await file();
      for (const more of [{ max_clicks: 2 }, { fallback_url: URL_A }, { redirect_status: 308 }]) {
        expect(await refusal(patchLink(code, { file_id: id, ...more }))).toBe("BadRequest");
      }
      expect(await patchLink(code, { file_id: id, max_clicks: null })).toMatchObject({ options: null });
      expect(await refusal(patchLink(code, { starts_at: "1d" }))).toBe("BadRequest");
      expect(await refusal(patchLink(code, { file_id: id, password: "short" }))).toBe("BadRequest");
      expect(await patchLink(code, { target: URL_A, max_clicks: 4 })).toMatchObject({ kind: "url" });
      expect((await links.get(code)).options).toBe('{"maxClicks":4}');
    });

    test("with the password of a redirect, which may be short, becomes a share with a new one or none", async () => {
      const [code, id] = [await link({ password: "1" }), await file()];
      for (const use of [{ file_id: id }, { items: [{ file_id: id }, { folder_id: await folder() }] }])
        expect(await refusal(patchLink(code, use))).toBe("BadRequest");
      const password = "a long one";
      expect(await patchLink(code, { file_id: id, password })).toMatchObject({ kind: "file" });
      expect(await patchLink(code, { title: "Plan" })).toMatchObject({ title: "Plan" });
      const eventId = (await at.eventIds(await idOf(code))).at(-1)!;
      const shared = { eventId, state: "after" } as const;
      const revert = () => at.changes.revertLink(me, code, shared, { actor, mayShare() {} });
      const { passwordHash } = await patchLink(code, { target: URL_A });
      expect(await revert()).toMatchObject({ kind: "file", passwordHash });
      await patchLink(code, { target: URL_A, password: "1" });
      expect(await refusal(revert())).toBe("BadRequest");
      await patchLink(code, { password: null });
      expect(await revert()).toMatchObject({ kind: "file", passwordHash: null });
    });

    test("stays as it is when what it shall serve is not there or not its owner's", async () => {
      const [code, mine, box] = [await link(), await file(), await folder()];
      const other = await at.account();
      const theirs = (await at.upload(other, null, "theirs")).id;
      const shared = await share(mine);
      const ids = [0, -1, 1.5, theirs, box, 999_999_999, Number.MAX_SAFE_INTEGER, 2 ** 53];
      for (const one of [code, shared]) {
        for (const id of ids) expect(await refusal(patchLink(one, { file_id: id }))).toBe("FileNotFound");
        for (const id of [0, mine, theirs, 999_999_999]) {
          expect(await refusal(patchLink(one, { folder_id: id }))).toBe("FolderNotFound");
          const drop = { folder_id: id, ...LIMITS };
          expect(await refusal(patchLink(one, { drop }))).toBe("FolderNotFound");
        }
        const two = [
          { target: URL_A, file_id: mine },
          { file_id: mine, folder_id: box },
          { folder_id: box, drop: { folder_id: box, ...LIMITS } },
        ];
        for (const uses of two) expect(await refusal(patchLink(one, uses))).toBe("BadRequest");
      }
      expect(await refusal(patch(shared, { target: URL_A, max_downloads: 1 }))).toBe("BadRequest");
      expect(await refusal(patch(shared, { drop: { folder_id: box, ...LIMITS }, max_downloads: 1 }))).toBe(
        "BadRequest",
      );
      expect(await refusal(patch(shared, { target: "waymark:file/1" }))).toBe("LinkInvalidUrl");
      expect(await refusal(patchLink(code, { file_id: mine }, at.actor(other)))).toBe("LinkNotFound");
      expect(await links.get(code)).toMatchObject({ target: URL_A });
      expect(await links.get(shared)).toMatchObject({ target: `waymark:file/${mine}` });
    });

    test("that stands for the whole site, also by an alias, serves no share", async () => {
      const id = await file();
      const [boss, all] = [{ ...actor, ownOnly: false }, at.service.by(COMMAND)];
      await all.create({ code: "robots.txt", target: URL_A });
      expect(await refusal(patchLink("robots.txt", { file_id: id }, boss))).toBe("LinkReservedCode");
      const renamed = crypto.randomUUID();
      await all.patch("robots.txt", { code: renamed, keep_old: true });
      expect(await refusal(patchLink(renamed, { file_id: id }, boss))).toBe("LinkReservedCode");
      expect(await refusal(patchLink(await share(id), { code: "favicon.ico" }))).toBe("Forbidden");
      await all.remove(renamed);
    });

    test("of a domain serves no share, and a share moves to none", async () => {
      const host = `${crypto.randomUUID()}.example`;
      await at.service.domainService.create({ host }, actor);
      const code = crypto.randomUUID();
      await link({ code, domain: host });
      const key = at.service.domains.key(code, host);
      const id = await file();
      expect(await refusal(patchLink(key, { file_id: id }))).toBe("BadRequest");
      expect(await patchLink(key, { file_id: id, domain: "" })).toMatchObject({ code, kind: "file" });
      expect(await refusal(patchLink(code, { domain: host }))).toBe("BadRequest");
      expect(await patchLink(code, { domain: host, target: URL_A })).toMatchObject({
        code: key,
        kind: "url",
      });
    });

    test("renamed while it changes has one code, and an alias on request", async () => {
      const [code, next] = [await link(), crypto.randomUUID()];
      const id = await file();
      at.changed.length = 0;
      expect(await patchLink(code, { file_id: id, code: next, keep_old: true })).toMatchObject({
        code: next,
      });
      expect(at.changed.toSorted()).toEqual([code, next].toSorted());
      const taken = await link();
      expect(await refusal(patchLink(next, { code: taken, target: URL_A }))).toBe("LinkAlreadyExists");
      expect(await links.get(next)).toMatchObject({ target: `waymark:file/${id}` });
    });
  });

  describe("the history of a code", () => {
    type Point = { code: string; ids: number[] };
    const idsOf = async (code: string): Promise<Point> => {
      const rows = await at.database.read
        .selectFrom("events")
        .select("id")
        .where("subject_id", "=", await idOf(code))
        .orderBy("id")
        .execute();
      return { code, ids: rows.map(({ id }) => id) };
    };
    const revert = (code: string, eventId: number, state: "before" | "after", by = actor) =>
      at.changes.revertLink(by.accountId!, code, { eventId, state }, { actor: by, mayShare() {} });

    test("leads back to any use, with its limits and the options of a URL", async () => {
      const code = await link({ max_clicks: 5, fallback_url: URL_B, tags: ["print"] });
      const [fileId, folderId] = [await file(), await folder()];
      await patchLink(code, { file_id: fileId });
      await patch(code, { max_downloads: 4, title: "Limited" });
      await patch(code, { drop: { folder_id: folderId, ...LIMITS } });
      await patch(code, { drop: { folder_id: folderId, ...LIMITS, max_file_size: 9 }, title: "Box" });
      await patchLink(code, { target: URL_B });
      const { ids } = await idsOf(code);
      const states = [
        null,
        { kind: "file", entry: { id: fileId, name: "file" }, maxDownloads: null, title: null },
        { kind: "file", entry: { id: fileId, name: "file" }, maxDownloads: 4, title: "Limited" },
        { kind: "drop", drop: { maxFiles: 3, maxBytes: 1_000, maxFileSize: null }, title: "Limited" },
        { kind: "drop", drop: { maxFiles: 3, maxBytes: 1_000, maxFileSize: 9 }, title: "Box" },
        { kind: "url", target: URL_B, title: "Box" },
      ];
      for (const nth of [4, 1, 5, 3, 2, 4, 2]) {
        expect(await revert(code, ids[nth]!, "after")).toMatchObject({ ...states[nth], tags: ["print"] });
      }
      expect(await revert(code, ids[1]!, "before")).toMatchObject({ kind: "url", target: URL_A });
      expect(JSON.parse((await links.get(code)).options!)).toEqual({ maxClicks: 5, fallbackUrl: URL_B });
      expect(await revert(code, ids[0]!, "after")).toMatchObject({ target: URL_A });
    });

    test("leads back to a folder that takes files, and keeps what came while it does", async () => {
      const [code, id] = [await link(), await folder()];
      const seen = async (isDrop: boolean) =>
        (await at.repository.ofEntry(id, { isDrop }, 9)).map(({ code: found }) => found);
      await patchLink(code, { folder_id: id });
      const opened = await patch(code, { add: true, max_files: 7, max_file_size: 5 });
      const drop = { maxFiles: 7, maxBytes: 1_000_000_000, maxFileSize: 5, isTwoWay: true };
      expect(opened).toMatchObject({ kind: "folder", maxDownloads: null, drop });
      expect([await seen(false), await seen(true)]).toEqual([[code], []]);
      expect(await at.repository.find(await idOf(code))).toMatchObject({ takesFiles: true });
      expect(await patch(code, { max_downloads: 2, max_file_size: null })).toMatchObject({
        maxDownloads: 2,
        drop: { ...drop, maxFileSize: null },
      });
      expect(await patch(code, { folder_id: id })).toMatchObject({ kind: "folder", drop: null });
      const { ids } = await idsOf(code);
      expect(await revert(code, ids[2]!, "after")).toMatchObject({ kind: "folder", drop });
      expect(await refusal(patch(code, { target: URL_A, add: true }))).toBe("BadRequest");
    });

    test("shows it if what it served is gone or another account's", async () => {
      const [code, fileId] = [await link(), await file()];
      await patchLink(code, { file_id: fileId });
      await patchLink(code, { target: URL_A });
      const { ids } = await idsOf(code);
      const boss = { ...at.actor(await at.account()), ownOnly: false };
      const refused = { actor: { ...actor, accountId: boss.accountId }, mayShare() {} };
      expect(await refusal(revert(code, ids[1]!, "after", refused.actor))).toBe("LinkNotFound");
      expect(await refusal(revert(code, ids[1]!, "after", boss))).toBe("Conflict");
      await patchLink(code, { file_id: await file("theirs", boss.accountId!) }, boss);
      expect(await refusal(patchLink(code, { target: URL_A }))).toBe("Forbidden");
      await patchLink(code, { target: URL_A }, boss);
      const theirs = (await idsOf(code)).ids.at(-2)!;
      expect(await refusal(revert(code, theirs, "after"))).toBe("Conflict");
      await at.files.remove(me, fileId);
      expect(await refusal(revert(code, ids[1]!, "after"))).toBe("Conflict");
      expect(await refusal(links.revert(code, ids[1]!, "after"))).toBe("Conflict");
      expect(await links.get(code)).toMatchObject({ target: URL_A });
    });
  });

  test("changes of one code at once leave one of them whole", async () => {
    const code = await link();
    const [first, second, box] = [await file("first"), await file("second"), await folder()];
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all(
        [
          { file_id: first },
          { file_id: second, title: "second" },
          { drop: { folder_id: box, ...LIMITS } },
          { target: URL_B },
          { folder_id: box },
        ].map((change) => refusal(patchLink(code, change))),
      );
      expect(outcomes.filter((name) => !["no error", "Conflict"].includes(name))).toEqual([]);
      expect(outcomes).toContain("no error");
      expect(await at.mismatches()).toEqual([]);
    }
  });

  test("a code that comes to serve a file while that is deleted serves nothing of it", async () => {
    for (let round = 0; round < 8; round++) {
      const [code, id] = [await link(), await file(`raced ${round}`)];
      const [changed] = await Promise.all([
        refusal(patchLink(code, { file_id: id })),
        at.files.remove(me, id),
      ]);
      expect(await refusal(links.get(code))).toBe(changed === "no error" ? "LinkNotFound" : "no error");
    }
    expect(await only()).toEqual([]);
  });

  test("downloads that are counted while a code changes are counted once", async () => {
    const [code, id] = [await share(await file()), await file("other")];
    const linkId = await idOf(code);
    const counting = (async () => {
      for (let n = 0; n < 20; n++) await at.shares.finish(linkId);
    })();
    for (let n = 0; n < 4; n++) {
      await patch(code, { target: URL_A });
      await patchLink(code, { file_id: id });
    }
    await counting;
    expect((await only())[0]!.downloads).toBe(20);
  });
});
