import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { behindLinks, isInside } from "./real-path.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-real-path-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a folder contains itself and paths below it", () => {
  expect(["/a", "/a/b", "/a/..b"].map((path) => isInside(path, "/a"))).toEqual([true, true, true]);
  expect(["/", "/ab", "/b/a"].map((path) => isInside(path, "/a"))).toEqual([false, false, false]);
});

test("symbolic links are followed, even with missing parts behind them", async () => {
  mkdirSync(join(root, "real"));
  writeFileSync(join(root, "real", "file"), "");
  symlinkSync("real", join(root, "link"));
  symlinkSync(join("link", "new"), join(root, "to-nothing"));
  symlinkSync("loop", join(root, "loop"));
  const behind = (path: string) => behindLinks(join(root, path));
  expect(await behind("link/file")).toBe(join(root, "real", "file"));
  expect(await behind("link/x/y")).toBe(join(root, "real", "x", "y"));
  expect(await behind("to-nothing/z")).toBe(join(root, "real", "new", "z"));
  expect(await behind("link/file/x")).toBe(join(root, "real", "file", "x"));
  expect(await behind(`${"x/".repeat(500)}y`)).toBe(join(root, `${"x/".repeat(500)}y`));
  await expect(behind("loop/x")).rejects.toThrow("ELOOP");
});
