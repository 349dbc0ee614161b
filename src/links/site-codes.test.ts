/** Codes that speak for the whole site are for administrators, on every way in, on every database. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../lib/actor.ts";
import { validated } from "../lib/validated.ts";
import { createLinkCsv, type LinkCsv } from "./csv/service.ts";
import { createSchema, patchSchema, updateSchema } from "./link/link.ts";
import { type LinksRoom, openLinks, refusal, TARGET } from "./links.test-support.ts";
import { parseBulkId } from "./bulk-id.ts";

const ADMIN: Actor = { name: "root", via: "panel", accountId: 0, ownOnly: false };
const PRESS = -2;
const EDITOR: Actor = {
  name: "ed",
  via: "api",
  accountId: 5,
  ownOnly: true,
  teams: new Map([[PRESS, "manager"]]),
};
const OTHER = `${TARGET}other`;
const CODES = [
  ".well-known/security.txt",
  ".WELL-KNOWN/acme-challenge/x",
  "robots.txt",
  "Robots.TXT",
  "favicon.ico",
  "sitemap.xml",
  "apple-app-site-association",
];

forEachDialect((dialect) => {
  let room: LinksRoom;
  let csv: LinkCsv;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb());
    csv = createLinkCsv({
      database: room.database,
      changes: room.changes,
      events: room.events,
      routePrefixes: () => ["/admin"],
      domains: room.links.domains,
      validateTargets: room.links.validateTargets,
      hashPassword: async (plain) => plain,
      clock: room.clock,
    });
    const at = { created_at: 1, updated_at: 1 };
    const user = { password_hash: "", disabled: 0, quota_bytes: 0, ...at };
    const db = room.database.write;
    await db
      .insertInto("teams")
      .values({ id: 2, name: "press", ...at })
      .execute();
    for (const [id, username, role] of [
      [5, "ed", "editor"],
      [6, "ann", "admin"],
    ] as const)
      await db
        .insertInto("users")
        .values({ id, username, role, ...user })
        .execute();
  });
  beforeEach(() => room.clear());

  const editor = () => room.links.by(EDITOR);
  const input = (link: object) => validated(createSchema, { target: TARGET, ...link }, "The link");
  const update = (link: object) => validated(updateSchema, { target: OTHER, ...link }, "The link");
  const patch = (link: object) => validated(patchSchema, link, "The link");
  const give = async (code: string, ownerId: number): Promise<void> => {
    await room.database.write
      .updateTable("links")
      .set({ owner_id: ownerId })
      .where("code", "=", code)
      .execute();
  };
  /** A link that an editor has from an older version. */
  const old = async (code: string, ownerId = EDITOR.accountId!): Promise<void> => {
    await room.links.create(input({ code }));
    await give(code, ownerId);
  };
  const target = async (code: string) => (await room.repository.findByAnyCode(code))?.target ?? null;
  const failed = (result: { failed: { error_code: number }[] }) => result.failed.map((one) => one.error_code);

  test("editors make none, and none is chosen at random", async () => {
    for (const code of CODES) {
      expect([code, await refusal(editor().create(input({ code })))]).toEqual([code, "Forbidden"]);
      expect(await refusal(editor().create(input({ code, force: true })))).toBe("Forbidden");
      expect(failed(await editor().batch.create([{ code, target: TARGET }]))).toEqual([1003]);
      expect(await editor().available(code)).toEqual({ available: false, reason: "reserved" });
      expect(await room.links.available(code)).toEqual({ available: true });
      await editor().create(input({ code: "mine" }));
      for (const keep_old of [false, true])
        expect(await refusal(editor().patch("mine", patch({ code, keep_old })))).toBe("Forbidden");
      await room.links.remove("mine");
      expect(await target(code)).toBeNull();
      expect(await refusal(room.links.create(input({ code })))).toBe("no error");
    }
    const letters = [..."faviconAbcdefg"].map((letter) => letter.charCodeAt(0));
    const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"];
    const bytes = letters.map((code) => alphabet.indexOf(String.fromCharCode(code)));
    let at = 0;
    const drawn = await openLinks(room.database, {
      randomCodeLength: () => 7,
      randomBytes: (count) => Uint8Array.from(bytes.slice(at, (at += count))),
    });
    expect((await drawn.links.create(input({}))).code).toBe("Abcdefg");
  });

  test("editors change none that they or their team have from before, whatever leads there, and may delete it", async () => {
    for (const owner of [EDITOR.accountId!, PRESS]) {
      await old("robots.txt", owner);
      await room.links.create(input({ code: "favicon.ico" }));
      await room.links.patch("favicon.ico", patch({ code: "now", keep_old: true }));
      await give("now", owner);
      for (const code of ["robots.txt", "now"]) {
        const { id } = await room.links.get(code);
        await room.links.patch(code, patch({ target: OTHER }));
        await room.links.patch(code, patch({ target: TARGET }));
        const { events } = await room.events.page({ subject: code }, null, 1);
        const ways: Record<string, () => Promise<unknown>> = {
          put: () => editor().update(code, update({})),
          patch: () => editor().patch(code, patch({ target: OTHER })),
          rename: () => editor().patch(code, patch({ code: "free", keep_old: true })),
          rules: () => editor().patch(code, patch({ fallback_url: OTHER })),
          force: () => editor().create(input({ code, target: OTHER, force: true })),
          give: () => editor().patch(code, patch({ owner: "ed" })),
          revert: () => editor().revert(code, events[0]!.id, "before"),
        };
        for (const [way, done] of Object.entries(ways))
          expect([way, code, await refusal(done())]).toEqual([way, code, "Forbidden"]);
        const payload = { target: OTHER };
        expect(failed(await editor().batch.update([{ code, payload }]))).toEqual([1003]);
        const found = await editor().queryBatch({
          filter: { codes: [code] },
          action: "update",
          set: { target: OTHER },
        });
        expect(found).toMatchObject({ matched: 1, changed: 0, first_error: expect.stringContaining("site") });
        expect(await target(code)).toBe(TARGET);
        expect(await refusal(room.links.by(ADMIN).update(code, update({ target: TARGET })))).toBe("no error");
        await editor().remove(code);
        expect(await refusal(editor().get(code))).toBe("LinkNotFound");
        expect(await refusal(room.links.deleted.restore(EDITOR, id, null))).toBe("Forbidden");
        expect(await refusal(room.links.deleted.restore(EDITOR, id, "free"))).toBe(
          code === "now" ? "Forbidden" : "no error",
        );
        if (code === "now")
          expect(await refusal(room.links.deleted.restore(ADMIN, id, null))).toBe("no error");
      }
      await room.clear();
    }
  });

  test("editors get none back by undoing, and move none between domains", async () => {
    await old("robots.txt");
    const removed = await editor().queryBatch({ filter: { codes: ["robots.txt"] }, action: "delete" });
    expect(removed.changed).toBe(1);
    const back = await editor().undoBatch(parseBulkId(removed.change!), 0);
    expect(back).toMatchObject({
      restored: 0,
      failed: [{ code: "robots.txt", error: { name: "Forbidden" } }],
    });
    expect(await target("robots.txt")).toBeNull();
    const { id } = await room.links.domainService.create({ host: "a.example" }, ADMIN);
    await room.links.domains.reload?.();
    await room.links.create(input({ code: "sitemap.xml", domain: "a.example" }));
    const key = room.links.domains.key("sitemap.xml", "a.example");
    await give(key, EDITOR.accountId!);
    expect(await refusal(editor().patch(key, patch({ domain: "" })))).toBe("Forbidden");
    expect(await refusal(editor().create(input({ code: "favicon.ico", domain: "a.example" })))).toBe(
      "Forbidden",
    );
    const set = { domain: "" };
    const moved = await editor().queryBatch({
      filter: { codes: [{ code: "sitemap.xml", domain: "a.example" }] },
      action: "update",
      set,
    });
    expect(moved.changed).toBe(0);
    await room.links.remove(key);
    await room.links.domainService.remove(id, ADMIN);
  });

  describe("no other owner gets one", () => {
    const OTHERS = ["ed", "team:press"];
    test("by creating, changing, renaming or restoring", async () => {
      const admin = room.links.by(ADMIN);
      for (const owner of OTHERS) {
        expect(await refusal(admin.create(input({ code: "robots.txt", owner })))).toBe("Forbidden");
        expect(failed(await admin.batch.create([{ code: "robots.txt", target: TARGET, owner }]))).toEqual([
          1003,
        ]);
        await admin.create(input({ code: "robots.txt" }));
        await admin.create(input({ code: "theirs", owner }));
        await admin.create(input({ code: "favicon.ico" }));
        await admin.patch("favicon.ico", patch({ code: "renamed", keep_old: true }));
        for (const code of ["robots.txt", "renamed"]) {
          expect(await refusal(admin.patch(code, patch({ owner })))).toBe("Forbidden");
          expect(await refusal(admin.update(code, update({ owner })))).toBe("Forbidden");
          expect(failed(await admin.batch.update([{ code, payload: { target: OTHER, owner } }]))).toEqual([
            1003,
          ]);
          const given = await admin.queryBatch({
            filter: { codes: [code] },
            action: "update",
            set: { owner },
          });
          expect(given.changed).toBe(0);
        }
        expect(await refusal(admin.patch("theirs", patch({ code: "sitemap.xml" })))).toBe("Forbidden");
        const { id } = await admin.get("theirs");
        await admin.remove("theirs");
        expect(await refusal(room.links.deleted.restore(ADMIN, id, "sitemap.xml"))).toBe("Forbidden");
        await admin.patch("robots.txt", patch({ owner: "ann" }));
        expect((await admin.get("robots.txt")).ownerId).toBe(6);
        await room.clear();
      }
      expect(await refusal(room.links.by(COMMAND).create(input({ code: "robots.txt", owner: "ed" })))).toBe(
        "Forbidden",
      );
    });

    test("by CSV", async () => {
      const text =
        "code,target,owner\nrobots.txt,https://example.com/,ed\nfavicon.ico,https://example.com/,ann\nx,https://example.com/,ed\n";
      for (const mode of ["skip", "error", "overwrite"] as const) {
        for (const dryRun of [true, false]) {
          const result = await csv.import(Buffer.from(text), { mode, dryRun, actor: ADMIN });
          expect(result.failed_items).toMatchObject([{ row: 2, code: "robots.txt", error_code: 1003 }]);
          expect(result.success_count).toBe(2);
        }
        await room.clear();
      }
      await room.links.create(input({ code: "robots.txt" }));
      const result = await csv.import(Buffer.from(text), { mode: "overwrite", actor: ADMIN });
      expect(result.failed_count).toBe(1);
      expect((await room.links.get("robots.txt")).ownerId).toBeNull();
      await room.links.patch("robots.txt", patch({ code: "renamed", keep_old: true }));
      for (const dryRun of [true, false]) {
        const given = Buffer.from("code,target,owner\nrenamed,https://example.com/,ed\n");
        const done = await csv.import(given, { mode: "overwrite", dryRun, actor: ADMIN });
        expect(done.failed_items).toMatchObject([{ row: 2, code: "renamed", error_code: 1003 }]);
      }
      expect((await room.links.get("renamed")).ownerId).toBeNull();
    });
  });
});
