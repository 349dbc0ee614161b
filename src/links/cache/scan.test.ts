import { beforeAll, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createLinkScan } from "./scan.repository.ts";

const COUNT = 2500;

forEachDialect(({ openDb }) => {
  let database: Database;

  beforeAll(async () => {
    database = await openDb();
    const rows = Array.from({ length: COUNT }, (_, i) => ({
      code: `c${i}`,
      target: `https://h/${i}`,
      created_at: 1,
      updated_at: 1,
      expires_at: i % 2 === 0 ? null : 2_000_000_000_000 + i,
    }));
    await database.transaction(async (tx) => {
      for (let at = 0; at < COUNT; at += 1000)
        await database.dialect.insertMany(tx, "links", rows.slice(at, at + 1000));
    });
  });

  test("links returns each link once, newest first, in pages of at most 1,000", async () => {
    const pages = await Array.fromAsync(createLinkScan(database).links());
    expect(pages.map((page) => page.length)).toEqual([1000, 1000, 500]);
    const links = pages.flat();
    expect(links.map(({ id }) => id)).toEqual(links.map(({ id }) => id).sort((a, b) => b - a));
    expect(new Set(links.map(({ code }) => code)).size).toBe(COUNT);
    const { code, target, expiresAt } = links.find((link) => link.code === "c1001")!;
    expect({ code, target, expiresAt }).toEqual({
      code: "c1001",
      target: "https://h/1001",
      expiresAt: 2_000_000_001_001,
    });
    expect(links.find((link) => link.code === "c1000")!.expiresAt).toBeNull();
  });

  test("codes returns all codes, or those of links before an id", async () => {
    const scan = createLinkScan(database);
    const links = (await Array.fromAsync(scan.links())).flat();
    const codesOf = async (before: number | null) =>
      (await Array.fromAsync(scan.codes(before))).flatMap((codes) => codes.split(" ")).sort();
    const all = links.map((link) => link.code);
    expect(await codesOf(null)).toEqual(all.toSorted());
    expect(await codesOf(links[1199]!.id)).toEqual(all.slice(1200).sort());
    expect(await codesOf(links.at(-1)!.id)).toEqual([]);
  });

  test("some returns the existing links, by the bytes of their codes", async () => {
    const codes = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? `c${i}` : `C${i}`));
    const found = await createLinkScan(database).some(codes);
    expect(found.map(({ code }) => code).sort()).toEqual(codes.filter((code) => code[0] === "c").sort());
    expect(found.find(({ code }) => code === "c998")).toMatchObject({
      target: "https://h/998",
      expiresAt: null,
    });
  });

  test("thousands of the longest codes arrive complete", async () => {
    const long = Array.from({ length: 4100 }, (_, i) => `${"x".repeat(122)}${String(i).padStart(6, "0")}`);
    const row = { target: "https://h/", created_at: 1, updated_at: 1, expires_at: null };
    const rows = long.map((code) => ({ ...row, code }));
    await database.transaction((tx) => database.dialect.insertMany(tx, "links", rows));
    const pages = await Array.fromAsync(createLinkScan(database).codes(null));
    const found = pages.flatMap((codes) => codes.split(" ")).filter((code) => code.startsWith("x"));
    expect(found.sort()).toEqual(long);
  });
});
