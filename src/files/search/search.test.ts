/** Search against a model: the same names, filtered and sorted in memory. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import type { NamePlace } from "./repository.ts";
import type { SearchPage } from "./service.ts";

const ACTOR = { name: "me", via: "api", accountId: 1, ownOnly: true } as const;

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

  /** All pages. */
  async function found(q: string, { account = me, limit = 100 } = {}): Promise<string[]> {
    const names: string[] = [];
    for (let after: NamePlace | null = null; ; ) {
      const page: SearchPage = await at.search.page(account, q, after, limit);
      names.push(...page.entries.map(({ path, name }) => [...path.map((one) => one.name), name].join("/")));
      if (page.next === null) return names;
      after = page.next;
    }
  }

  test("finds files and folders of the own tree by any part, with their paths", async () => {
    const docs = await at.folder(me, null, "Documents");
    const inner = await at.folder(me, docs, "inner");
    const file = await at.upload(me, inner, "Annual Report.pdf", "content");
    await at.folder(me, inner, "reports");
    await at.upload(await at.account(), null, "report of somebody else");
    expect(await found("REPORT")).toEqual(["Documents/inner/Annual Report.pdf", "Documents/inner/reports"]);
    expect((await at.search.page(me, "annual", null, 10)).entries).toEqual([
      {
        id: file.id,
        kind: "file",
        name: "Annual Report.pdf",
        parentId: inner,
        path: [
          { id: docs, name: "Documents" },
          { id: inner, name: "inner" },
        ],
        size: 7,
        mimeType: file.mimeType,
        modifiedAt: file.modifiedAt,
        isLinked: false,
        policyId: null,
        createdAt: file.createdAt,
        updatedAt: file.updatedAt,
      },
    ]);
    expect(await found("ocumen")).toEqual(["Documents"]);
    expect(await found("nothing like that")).toEqual([]);
    await at.upload(me, null, "Zürich.txt".normalize("NFD"), "content");
    for (const form of ["NFC", "NFD"]) {
      expect(await found("züri".normalize(form))).toEqual(["Zürich.txt".normalize("NFC")]);
    }
  });

  test("a new name is found, the former one is not", async () => {
    const folder = await at.folder(me, null, "before");
    await at.folders.update(me, folder, { name: "afterwards" });
    expect([await found("before"), await found("terwa")]).toEqual([[], ["afterwards"]]);
    await at.folders.remove(me, folder);
    expect(await found("afterwards")).toEqual([]);
  });

  test("the trash is left out until its entries are put back, and so is what is deleted", async () => {
    const folder = await at.folder(me, null, "wanted folder");
    const file = await at.upload(me, folder, "wanted file");
    await at.trash.put(me, { kind: "folder", id: folder });
    expect(await found("wanted")).toEqual([]);
    expect(await found(String(folder))).toEqual([]);
    await at.trash.restore(me, folder, { name: "wanted again" });
    expect(await found("wanted")).toEqual(["wanted again", "wanted again/wanted file"]);
    await at.trash.put(me, { kind: "file", id: file.id });
    await at.trash.remove(me, file.id, ACTOR);
    expect(await found("wanted")).toEqual(["wanted again"]);
  });

  describe("compares", () => {
    const NAMES = [
      "100%_sure!",
      "100 sure",
      "Ärger.txt",
      "ärmel.TXT",
      "ÉCOLE",
      "école élémentaire",
      "straße",
      "日本語の本",
      'a"b AND c*',
      "x",
      "ab",
      "😀 smile",
      "back`tick",
    ];
    beforeEach(async () => {
      for (const name of NAMES) await at.folder(me, null, name);
    });

    test.each([
      ["%_", ["100%_sure!"]],
      ["_", ["100%_sure!"]],
      ["!", ["100%_sure!"]],
      ["SURE", ["100 sure", "100%_sure!"]],
      ["ÄR", ["Ärger.txt", "ärmel.TXT"]],
      ["är", ["Ärger.txt", "ärmel.TXT"]],
      ["école", ["ÉCOLE", "école élémentaire"]],
      ["É", ["ÉCOLE", "école élémentaire"]],
      ["ecole", []],
      ["straße", ["straße"]],
      ["本", ["日本語の本"]],
      ["本語", ["日本語の本"]],
      ["日本語の", ["日本語の本"]],
      ['"b and c*', ['a"b AND c*']],
      ['"', ['a"b AND c*']],
      ["*", ['a"b AND c*']],
      ["x", ["ärmel.TXT", "Ärger.txt", "x"]],
      ["AB", ["ab"]],
      ["b", ["ab", 'a"b AND c*', "back`tick"]],
      ["😀", ["😀 smile"]],
      ["😀 s", ["😀 smile"]],
      ["e\u0301cole", ["ÉCOLE", "école élémentaire"]],
      ["\u0001", []],
      ["\u0000", []],
      ["a\u0000", []],
      ["\ud83d", []],
      ["z", []],
      ["z".repeat(255), []],
      ["ä".repeat(255), []],
    ])("%j literally, whatever its case", async (q, names) => {
      expect((await found(q)).sort()).toEqual([...names].sort());
    });
  });

  describe("among many", () => {
    let many: number;
    /** The expected entries by folder and the bytes of the name. */
    const model: { parentId: number; folder: string; name: string }[] = [];
    const COUNT = 23_000;
    beforeAll(async () => {
      model.length = 0;
      many = await at.account();
      const folders = [null, await at.folder(many, null, "f1"), await at.folder(many, null, "f2")];
      for (let n = 0; n < COUNT; n++) {
        const rare = n % 4_600 === 4_599 ? " rarely" : "";
        const clustered = n >= COUNT - 30 ? " q" : "";
        const parentId = folders[n % 3]!;
        const folder = n % 3 === 0 ? "" : `f${n % 3}/`;
        model.push({ parentId: parentId ?? 0, folder, name: `common ${n}${rare}${clustered}.pdf` });
      }
      const common = { account_id: many, kind: "file", policy_id: null, blob_id: null, mime_type: null };
      await database.dialect.insertMany(
        database.write,
        "entries",
        model.map(({ parentId, name }) => ({
          ...common,
          parent_id: parentId,
          name,
          sha256: null,
          size: 0,
          created_at: 0,
          updated_at: 0,
        })),
      );
      model.sort((a, b) => a.parentId - b.parentId || (a.name < b.name ? -1 : 1));
    }, 120_000);

    const expected = (q: string): string[] =>
      model.filter(({ name }) => name.includes(q)).map(({ folder, name }) => folder + name);

    test.each(["rarely", "q", " q", "229", "n 22999", "7777", "nowhere", "z"])(
      "%j is found in order, page by page",
      async (q) => {
        expect(await found(q, { account: many, limit: 7 })).toEqual(expected(q));
      },
      60_000,
    );

    test("a frequent word fills its pages in order", async () => {
      const all = expected("ommo");
      let after: NamePlace | null = null;
      for (let begin = 0; begin < 500; begin += 100) {
        const page: SearchPage = await at.search.page(many, "ommo", after, 100);
        const names = page.entries.map(
          ({ path, name }) => `${path.map((one) => `${one.name}/`).join("")}${name}`,
        );
        expect(names).toEqual(all.slice(begin, begin + 100));
        after = page.next;
      }
    });

    test("entries of other accounts are not found", async () => {
      await at.upload(me, null, "rarely mine");
      expect(await found("rarely")).toEqual(["rarely mine"]);
      expect(await found("common")).toEqual([]);
    });

    test("matches in the trash cost pages, not requests without end", async () => {
      const { folder } = await at.folders.find(many, null);
      expect(folder).toBeNull();
      const first = model.find((one) => one.folder === "f1/")!;
      await at.trash.put(many, { kind: "folder", id: first.parentId });
      const page = await at.search.page(many, "f1", null, 10);
      expect(page).toEqual({ entries: [], next: null });
      expect(await found("rarely", { account: many })).toEqual(
        expected("rarely").filter((name) => !name.startsWith("f1/")),
      );
      await at.trash.restore(many, first.parentId, {});
    });
  });
});
