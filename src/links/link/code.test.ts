import { expect, test } from "bun:test";
import { createCodeRule, createShareCodeRule, isCodeText } from "./code.ts";
import { randomCode, randomCodes } from "../../lib/random-code.ts";

const rule = createCodeRule(() => ["/admin", "/health", "/panel", "/ops/api"]);
const nameOf = (code: string) => rule.refusal(code)?.name ?? null;

test.each([
  "a",
  "A-b_c.d",
  "a/b/c",
  "...",
  "a/...",
  ".hidden",
  "x..y/z",
  "Admin",
  "admin2",
  "admin.html",
  "ops",
  "ops/apis",
  "filesystem",
  "favicon.ico",
  "robots.txt",
  "batches",
  "Export",
  "batch/a",
  "a/export",
  "import",
  "a".repeat(128),
])("%s may be a code", (code) => {
  expect(nameOf(code)).toBeNull();
});

test.each([
  "",
  "a".repeat(129),
  "a b",
  "a%20b",
  "ä",
  "a\0",
  "a\r\n",
  "a\n",
  "a?b",
  "a#b",
  "a\\b",
  "/a",
  "a/",
  "/",
  "a//b",
  ".",
  "..",
  "./a",
  "../a",
  "a/./b",
  "a/..",
  "a/../b",
])("%j is no code", (code) => {
  expect(nameOf(code)).toBe("LinkInvalidCode");
});

test.each([
  "admin",
  "admin/x",
  "health",
  "panel/a/b",
  "ops/api",
  "ops/api/x",
  "files",
  "files/1",
  "folders/a",
  "batch",
  "export",
])("%s is reserved", (code) => {
  expect(nameOf(code)).toBe("LinkReservedCode");
});

test.each([
  ".well-known",
  ".well-known/acme-challenge/x",
  ".Well-Known/security.txt",
  "robots.txt",
  "ROBOTS.TXT",
  "favicon.ico",
  "favicon-32x32.png",
  "apple-touch-icon-precomposed.png",
  "apple-app-site-association",
  "sitemap.xml",
  "sitemap_index.xml.gz",
  "ads.txt",
  "security.txt",
  "manifest.json",
  "site.webmanifest",
  "crossdomain.xml",
  "sw.js",
  "wpad.dat",
  "google0123456789abcdef.html",
  "BingSiteAuth.xml",
  "autodiscover/autodiscover.xml",
])("%s may be the code of a link, not of a share", (code) => {
  expect(rule.refusal(code)).toBeNull();
  expect(createShareCodeRule(rule).refusal(code)?.name).toBe("LinkReservedCode");
});

test.each(["my.well-known", "well-known", "docs/robots.txt", "a/favicon.ico", "google.html", "report.xml"])(
  "%s may be the code of a share",
  (code) => {
    expect(createShareCodeRule(rule).refusal(code)).toBeNull();
  },
);

test("the code of a share must be valid for a link", () => {
  expect(createShareCodeRule(rule).refusal("admin/x")?.name).toBe("LinkReservedCode");
  expect(createShareCodeRule(rule).refusal("a b")?.name).toBe("LinkInvalidCode");
});

test("the prefixes are read at each call", () => {
  let prefix = "/admin";
  const changing = createCodeRule(() => [prefix]);
  prefix = "/manage";
  expect(changing.refusal("admin")).toBeNull();
  expect(changing.refusal("manage/x")?.name).toBe("LinkReservedCode");
});

test("where case does not count, no spelling of a reserved code may be one", () => {
  const settings = { ignoresCase: false };
  const folding = createCodeRule(
    () => ["/admin"],
    () => [],
    () => settings.ignoresCase,
  );
  const spellings = ["Export", "BATCH", "Files/x", "Admin"];
  for (const code of spellings) expect(folding.refusal(code)).toBeNull();
  settings.ignoresCase = true;
  for (const code of spellings)
    expect([code, folding.refusal(code)?.name]).toEqual([code, "LinkReservedCode"]);
});

test("the code of a request is checked for characters and length only", () => {
  expect(isCodeText("a//b/..")).toBe(true);
  expect(isCodeText("a".repeat(129))).toBe(false);
  expect(isCodeText("a\n")).toBe(false);
  expect(isCodeText("")).toBe(false);
});

test("random codes have the length and alphabet, and differ", () => {
  const codes = new Set(Array.from({ length: 1000 }, () => randomCode(10)));
  expect(codes.size).toBe(1000);
  for (const code of codes) expect(code).toMatch(/^[A-Za-z0-9]{10}$/);
});

test("bytes that would favour some characters are rejected", () => {
  const source = [255, 248, 0, 247, 61];
  const bytes = (count: number) => Uint8Array.from(source.splice(0, count));
  expect(randomCode(3, bytes)).toBe("A99");
});

test("codes grow longer when those of the requested length are taken", () => {
  const codes = randomCodes(1);
  const lengths = Array.from({ length: 17 }, () => codes.next().value.length);
  expect(lengths).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3]);
});
