import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { MOST_LEVELS, ROOT } from "./entry.ts";
import type { Cursor } from "./folders.service.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
  });
  beforeEach(async () => {
    me = await at.account();
  });
  afterAll(() => at?.close());

  describe("a folder", () => {
    test("is created, found with its path, renamed and removed", async () => {
      const outer = await at.folder(me, null, "outer");
      at.content.time.now += 1_000;
      const made = await at.folders.create(me, { name: "n\u0301", parentId: outer });
      expect(made).toMatchObject({
        accountId: me,
        parentId: outer,
        name: "\u0144",
        policyId: null,
        createdAt: at.content.time.now,
        updatedAt: at.content.time.now,
      });
      const { folder, path } = await at.folders.find(me, made.id);
      expect(folder).toEqual(made);
      expect(path.map(({ name }) => name)).toEqual(["outer", "\u0144"]);
      at.content.time.now += 1_000;
      const renamed = await at.folders.update(me, made.id, { name: "x" });
      expect(renamed).toEqual({ ...made, name: "x", updatedAt: at.content.time.now });
      await at.folders.remove(me, outer);
      expect(await refusal(at.folders.find(me, made.id))).toBe("FolderNotFound");
      expect(await at.names(me, null)).toEqual([]);
    });

    test.each([0, -1, 1.5, Number.NaN, 2 ** 53, 4_711_000_000])("can't be %p", async (id) => {
      expect(await refusal(at.folders.find(me, id))).toBe("FolderNotFound");
      expect(await refusal(at.folders.update(me, id, { name: "x" }))).toBe("FolderNotFound");
      expect(await refusal(at.folders.remove(me, id))).toBe("FolderNotFound");
      expect(await refusal(at.folders.create(me, { name: "x", parentId: id }))).toBe("FolderNotFound");
      const folder = await at.folder(me, null, "a");
      expect(await refusal(at.folders.update(me, folder, { parentId: id }))).toBe("FolderNotFound");
    });

    test("can't be a file", async () => {
      const { id } = await at.upload(me, null, "file");
      expect(await refusal(at.folders.find(me, id))).toBe("FolderNotFound");
      expect(await refusal(at.folders.create(me, { name: "x", parentId: id }))).toBe("FolderNotFound");
      expect(await refusal(at.folders.remove(me, id))).toBe("FolderNotFound");
    });

    test("of another account is not found", async () => {
      const other = await at.account();
      const theirs = await at.folder(other, null, "theirs");
      const mine = await at.folder(me, null, "mine");
      expect(await refusal(at.folders.find(me, theirs))).toBe("FolderNotFound");
      expect(await refusal(at.folders.update(me, theirs, { name: "x" }))).toBe("FolderNotFound");
      expect(await refusal(at.folders.update(me, mine, { parentId: theirs }))).toBe("FolderNotFound");
      expect(await refusal(at.folders.create(me, { name: "x", parentId: theirs }))).toBe("FolderNotFound");
      expect(await refusal(at.folders.remove(me, theirs))).toBe("FolderNotFound");
      expect(await at.names(other, null)).toEqual(["theirs/"]);
      expect(await refusal(at.folders.create(me, { name: "theirs", parentId: null }))).toBe("no error");
    });
  });

  describe("a name", () => {
    test("is unique in a folder, among folders and files together", async () => {
      await at.folder(me, null, "a\u0301");
      await at.upload(me, null, "b");
      expect(await refusal(at.folders.create(me, { name: "\u00e1", parentId: null }))).toBe("NameConflict");
      expect(await refusal(at.folders.create(me, { name: "b", parentId: null }))).toBe("NameConflict");
      expect(await refusal(at.upload(me, null, "\u00e1"))).toBe("NameConflict");
      const c = await at.folder(me, null, "c");
      expect(await refusal(at.folders.update(me, c, { name: "b" }))).toBe("NameConflict");
      expect(await at.folders.update(me, c, { name: "c" })).toMatchObject({ name: "c" });
      const inner = await at.folder(me, c, "b");
      expect(await refusal(at.folders.update(me, inner, { parentId: null }))).toBe("NameConflict");
      expect(await at.folders.update(me, inner, { parentId: null, name: "d" })).toMatchObject({ name: "d" });
    });

    test("is distinguished by case and accents", async () => {
      for (const name of ["a", "A", "\u00e4", "\u00c4", "\u00e0", "ss", "\u00df", "\u{1f600}", "\u{1f601}"])
        await at.folder(me, null, name);
      const found = await at.names(me, null);
      expect(found).toEqual([
        "A/",
        "a/",
        "ss/",
        "\u00c4/",
        "\u00df/",
        "\u00e0/",
        "\u00e4/",
        "\u{1f600}/",
        "\u{1f601}/",
      ]);
    });

    test("is refused when it breaks a rule", async () => {
      for (const name of ["", "..", "a/b", "a\0", " a", "x".repeat(256)])
        expect(await refusal(at.folders.create(me, { name, parentId: null }))).toBe("InvalidName");
      const id = await at.folder(me, null, "\u00e9".repeat(127));
      expect(await refusal(at.folders.update(me, id, { name: "\u00e9".repeat(128) }))).toBe("InvalidName");
    });

    test("is given to one of many simultaneous requests", async () => {
      const tries = Array.from({ length: 30 }, () =>
        refusal(at.folders.create(me, { name: "x", parentId: null })),
      );
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter((outcome) => outcome === "no error").length).toBe(1);
      expect(outcomes.filter((outcome) => outcome === "NameConflict").length).toBe(29);
    });
  });

  describe("contents", () => {
    test("are listed in pages, folders before files, by name", async () => {
      const folder = await at.folder(me, null, "box");
      const expected: string[] = [];
      for (let i = 0; i < 5; i++) expected.push(`d${i}/`);
      for (let i = 0; i < 7; i++) expected.push(`a${i}`);
      await Promise.all(
        expected.map((name) =>
          name.endsWith("/") ? at.folder(me, folder, name.slice(0, -1)) : at.upload(me, folder, name),
        ),
      );
      const { folder: found } = await at.folders.find(me, folder);
      for (const limit of [1, 2, 5, 6, 11, 12, 13]) {
        const names: string[] = [];
        let pages = 0;
        for (let after: Cursor | null = null; pages === 0 || after !== null; pages++) {
          const page = await at.folders.page(me, found, after, limit);
          names.push(...page.folders.map(({ name }) => `${name}/`), ...page.files.map(({ name }) => name));
          expect(page.folders.length + page.files.length).toBeLessThanOrEqual(limit);
          after = page.next;
        }
        expect(names).toEqual(expected);
        expect(pages).toBe(Math.ceil(12 / limit));
      }
    });
  });

  describe("a move", () => {
    test("includes the contents, to a folder and to the root", async () => {
      const a = await at.folder(me, null, "a");
      const b = await at.folder(me, null, "b");
      const file = await at.upload(me, a, "file");
      await at.folders.update(me, a, { parentId: b });
      expect((await at.folders.find(me, a)).path.map(({ name }) => name)).toEqual(["b", "a"]);
      expect(await at.files.find(me, file.id)).toEqual(file);
      await at.folders.update(me, a, { parentId: null });
      expect(await at.names(me, null)).toEqual(["a/", "b/"]);
    });

    test("into itself or a folder inside it is refused", async () => {
      const a = await at.folder(me, null, "a");
      const b = await at.folder(me, a, "b");
      const c = await at.folder(me, b, "c");
      for (const id of [a, b, c])
        expect(await refusal(at.folders.update(me, a, { parentId: id }))).toBe("FolderCycle");
      expect(await refusal(at.folders.update(me, b, { parentId: a }))).toBe("no error");
    });

    test("of two that would form a cycle together, one succeeds", async () => {
      for (let round = 0; round < 8; round++) {
        const a = await at.folder(me, null, `a${round}`);
        const b = await at.folder(me, null, `b${round}`);
        const outcomes = await Promise.all([
          refusal(at.folders.update(me, a, { parentId: b })),
          refusal(at.folders.update(me, b, { parentId: a })),
        ]);
        expect(outcomes.sort()).toEqual(["FolderCycle", "no error"]);
      }
    });

    test("into a folder deleted at the same time fails or is deleted with it", async () => {
      for (let round = 0; round < 8; round++) {
        const a = await at.folder(me, null, `a${round}`);
        const b = await at.folder(me, null, `b${round}`);
        const [moved] = await Promise.all([
          refusal(at.folders.update(me, a, { parentId: b })),
          at.folders.remove(me, b),
        ]);
        const left = await refusal(at.folders.find(me, a));
        expect([moved, left]).toEqual(
          moved === "no error" ? ["no error", "FolderNotFound"] : ["FolderNotFound", "no error"],
        );
      }
    });

    test("and a new folder keep the depth limit", async () => {
      const deep = await chain(MOST_LEVELS);
      expect((await at.folders.find(me, deep.at(-1)!)).path.length).toBe(MOST_LEVELS);
      expect(await refusal(at.folders.create(me, { name: "x", parentId: deep.at(-1)! }))).toBe("BadRequest");
      const pair = await at.folder(me, null, "pair");
      await at.folder(me, pair, "inner");
      expect(await refusal(at.folders.update(me, pair, { parentId: deep.at(-2)! }))).toBe("BadRequest");
      expect(await refusal(at.folders.update(me, pair, { parentId: deep.at(-3)! }))).toBe("no error");
      await at.folders.remove(me, deep[0]!);
      expect(await at.names(me, null)).toEqual([]);
    });

    /** Nested folders. Returns their ids, outermost first. */
    async function chain(levels: number): Promise<number[]> {
      const ids: number[] = [];
      await database.transaction(async (tx) => {
        ids.length = 0;
        for (let level = 0; level < levels; level++) {
          const row = {
            account_id: me,
            parent_id: ids.at(-1) ?? ROOT,
            kind: "folder",
            name: "x",
            policy_id: null,
            blob_id: null,
            mime_type: null,
            sha256: null,
            size: 0,
            created_at: 0,
            updated_at: 0,
          };
          ids.push(await database.dialect.insertReturningId(tx, "entries", row));
        }
      });
      return ids;
    }
  });

  describe("a policy", () => {
    test("can be set and removed; an unknown one is refused", async () => {
      const id = await at.folder(me, null, "a");
      const policyId = at.content.policy.id;
      expect(await at.folders.update(me, id, { policyId })).toMatchObject({ policyId });
      expect(await at.folders.update(me, id, { name: "b" })).toMatchObject({ policyId });
      expect(await at.folders.update(me, id, { policyId: null })).toMatchObject({ policyId: null });
      for (const unknown of [0, -1, 4_711, 2 ** 60])
        expect(await refusal(at.folders.update(me, id, { policyId: unknown }))).toBe("PolicyNotFound");
    });

    test("of an upload is that of the nearest folder with one, else the default", async () => {
      const create = (name: string) =>
        at.content.policies.create({
          name: `${name}-${me}`,
          driver_type: "local",
          base_path: `${name}-${me}`,
        });
      const [outer, inner] = [await create("outer"), await create("inner")];
      const a = await at.folder(me, null, "a");
      const b = await at.folder(me, a, "b");
      const c = await at.folder(me, b, "c");
      const policyOf = async (folderId: number | null) =>
        (await at.uploads.destination(me, folderId)).policy.id;
      expect(await policyOf(c)).toBe(at.content.policy.id);
      await at.folders.update(me, a, { policyId: outer.id });
      await at.folders.update(me, b, { policyId: inner.id });
      expect([await policyOf(null), await policyOf(a), await policyOf(b), await policyOf(c)]).toEqual([
        at.content.policy.id,
        outer.id,
        inner.id,
        inner.id,
      ]);
      const file = await at.upload(me, c, "file");
      await at.folders.update(me, b, { policyId: null });
      expect(await policyOf(c)).toBe(outer.id);
      expect(await at.read(file)).toBe("file");
      await at.folders.remove(me, a);
      await at.content.policies.remove(inner.id);
      await at.content.policies.remove(outer.id);
    });
  });
});
