/** What serves files, and the ways that change links: for who may change the files, with a token for files. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import type { ActorLinks } from "../../links/actor-links.ts";
import { NO_LISTS } from "../../links/links.test-support.ts";
import { refusal } from "../drive.test-support.ts";
import type { ShareChange } from "./plan.ts";
import { startShares, type SharesHarness } from "../shares/shares.test-support.ts";

const URL_A = "https://a.example/";
const URL_B = "https://b.example/";
const LIMITS = { max_bytes: 1_000, max_files: 3 };

forEachDialect((dialect) => {
  const lists = { ...NO_LISTS };
  let at: SharesHarness;
  let me: number;
  let actor: Actor;
  let links: ActorLinks;
  beforeAll(async () => {
    at = await startShares(await dialect.openDb({ poolSize: 8 }), { targetLists: () => lists });
  });
  beforeEach(async () => {
    me = await at.account();
    actor = at.actor(me);
    links = at.service.by(actor);
  });
  afterAll(() => at?.close());

  const file = async (name = "file", account = me) => (await at.upload(account, null, name)).id;
  const folder = (name = "folder", account = me) => at.folder(account, null, name);
  const share = async (id: number, input: object = {}) =>
    (await at.shares.create(me, { kind: "file", id }, input, actor)).code;
  const link = async (input: object = {}) => (await links.create({ target: URL_A, ...input })).code;
  const patch = (code: string, change: ShareChange) => at.changes.patch(me, code, change, actor);
  const patchLink = (code: string, change: object, by = actor) =>
    at.changes.patchLink(by.accountId!, code, change, by);

  describe("what serves files, by ways for links", () => {
    const PATCHES: object[] = [
      { password: "another one" },
      { password: null },
      { expires_at: "" },
      { title: "x" },
      { tags: ["x"] },
      { code: "renamed", keep_old: true },
      { target: URL_B },
    ];
    const kinds = async (): Promise<string[]> => {
      const box = await link();
      await patchLink(box, { drop: { folder_id: await folder("box"), ...LIMITS }, password: "a long one" });
      const both = await link();
      await patchLink(both, { folder_id: await folder("both"), password: "a long one" });
      await patch(both, { add: true });
      return [await share(await file(), { password: "a long one" }), box, both];
    };
    /** Refusals of every way to change or delete it. */
    const tried = async (code: string, by: Actor): Promise<string[]> => {
      const own = at.service.by(by);
      const target = URL_B;
      const { failed: removed } = await own.batch.remove([code]);
      const { failed: updated } = await own.batch.update([{ code, payload: { target, password: "" } }]);
      const { failed: forced } = await own.batch.create([{ code, target, force: true }]);
      const found = [
        await own.queryBatch({ filter: { codes: [code] }, action: "delete" }),
        await own.queryBatch({ filter: { codes: [code] }, action: "update", set: { password: "" } }),
      ];
      expect(found.map(({ changed }) => changed)).toEqual([0, 0]);
      expect([removed.length, updated.length, forced.length]).toEqual([1, 1, 1]);
      const stored = await at.service.by(COMMAND).get(code);
      const [first] = await at.eventIds(stored.id);
      const which = { eventId: first!, state: "after" } as const;
      const names = [
        ...PATCHES.map((change) => () => patchLink(code, change, by)),
        () => own.remove(code),
        () => own.update(code, { target }),
        () => own.create({ code, target, force: true }),
        () => at.changes.revertLink(by.accountId!, code, which, { actor: by, mayShare() {} }),
      ];
      const refusals: string[] = [];
      for (const way of names) refusals.push(await refusal(way()));
      expect(await at.service.by(COMMAND).get(code)).toEqual(stored);
      return refusals;
    };

    test("is refused to administrators who do not own the files, and to tokens for links only", async () => {
      const boss = { ...at.actor(await at.account()), ownOnly: false };
      const token: Actor = { ...actor, via: "token", scopes: ["links:read", "links:write"] };
      for (const code of await kinds()) {
        for (const by of [boss, token, { ...token, ownOnly: false }]) {
          expect(await tried(code, by)).toEqual([
            ...PATCHES.map(() => "Forbidden"),
            "Forbidden",
            "Conflict",
            "Conflict",
            "Forbidden",
          ]);
        }
        const both: Actor = { ...token, scopes: ["links:write", "files:write"] };
        expect(await patchLink(code, { title: "mine" }, both)).toMatchObject({ title: "mine" });
        await at.service.by(both).remove(code);
      }
    });

    test("is for administrators to take down, and then to delete", async () => {
      const boss = { ...at.actor(await at.account()), ownOnly: false };
      for (const code of await kinds()) {
        const review = { action: "take_down", reason: null, updatedAt: null } as const;
        await at.service.safety.review(boss, code, review);
        for (const change of PATCHES)
          expect(["Forbidden", "Conflict"]).toContain(await refusal(patchLink(code, change, boss)));
        expect(await refusal(links.remove(code))).toBe("Conflict");
        await at.service.by(boss).remove(code);
        expect(await refusal(links.get(code))).toBe("LinkNotFound");
      }
    });

    test("goes on to a URL or another file when it was taken down, its file went, and it is reinstated", async () => {
      const boss = { ...at.actor(await at.account()), ownOnly: false };
      const [code, other, third] = [await link(), await link(), await link()];
      for (const one of [code, other, third]) {
        const id = await file(one);
        await patchLink(one, { file_id: id });
        const review = { action: "take_down", reason: null, updatedAt: null } as const;
        await at.service.safety.review(boss, one, review);
        await at.files.remove(me, id);
        expect(await refusal(patchLink(one, { target: URL_B }))).toBe("Conflict");
        await at.service.safety.review(boss, one, { ...review, action: "reinstate" });
        const { id: linkId } = await links.get(one);
        expect(await at.service.servesFiles(linkId)).toBe(false);
        expect(await patchLink(one, { title: "t" }).catch((error: Error) => error.message)).toContain(
          "is gone",
        );
      }
      expect(await patchLink(code, { target: URL_B, title: "t" })).toMatchObject({
        target: URL_B,
        title: "t",
      });
      expect(await patchLink(other, { file_id: await file("next") })).toMatchObject({ kind: "file" });
      const [made] = await at.eventIds((await links.get(third)).id);
      const by = { actor, mayShare: () => {} };
      const back = at.changes.revertLink(me, third, { eventId: made!, state: "after" }, by);
      expect(await back).toMatchObject({ target: URL_A });
    });

    test("is for editors of the team that has the files, not for its viewers", async () => {
      const team = await at.account();
      const press = -2 - team;
      await at.database.write
        .updateTable("entries")
        .set({ account_id: press })
        .where("account_id", "=", me)
        .execute();
      const code = await share(await file());
      const { id } = await links.get(code);
      const db = at.database.write;
      await db.updateTable("shares").set({ account_id: press }).where("link_id", "=", id).execute();
      await db.updateTable("links").set({ owner_id: me }).where("id", "=", id).execute();
      const member = (role: "viewer" | "editor"): Actor => ({ ...actor, teams: new Map([[press, role]]) });
      expect(await refusal(at.service.by(actor).remove(code))).toBe("Forbidden");
      expect(await refusal(at.service.by(member("viewer")).remove(code))).toBe("Forbidden");
      expect(await refusal(patchLink(code, { title: "x" }, member("viewer")))).toBe("Forbidden");
      await at.service.by(member("editor")).remove(code);
    });
  });

  test("hosts that bind editors bind them when a share becomes a URL", async () => {
    Object.assign(lists, { allow: ["a.example"], bound: ["editor"] });
    const editor: Actor = { ...actor, role: "editor" };
    const code = await share(await file());
    expect(await refusal(at.changes.patch(me, code, { target: URL_B }, editor))).toBe("LinkInvalidUrl");
    Object.assign(lists, NO_LISTS);
  });
});
