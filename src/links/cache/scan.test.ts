import { beforeAll, expect, test } from "bun:test";
import type { Database } from "../../db/database.ts";
import { forEachDialect } from "../../db/for-each-dialect.ts";
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

  test("every link comes once, newest first, in pages of at most 1,000", async () => {
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

  test("codes come all, or those of the links before an id", async () => {
    const scan = createLinkScan(database);
    const links = (await Array.fromAsync(scan.links())).flat();
    const codes = (await Array.fromAsync(scan.codes(null))).flat();
    expect(codes).toEqual(links.map((link) => link.code));
    const rest = (await Array.fromAsync(scan.codes(links[1199]!.id))).flat();
    expect(rest).toEqual(codes.slice(1200));
  });

  test("those of some codes that exist come, by exactly these codes", async () => {
    const codes = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? `c${i}` : `C${i}`));
    const found = await createLinkScan(database).some(codes);
    expect(found.map(({ code }) => code).sort()).toEqual(codes.filter((code) => code[0] === "c").sort());
    expect(found.find(({ code }) => code === "c998")).toMatchObject({
      target: "https://h/998",
      expiresAt: null,
    });
  });
});
