import { expect, test } from "bun:test";
import { parsePanelPath } from "./panel-path.ts";

test.each([
  "/",
  "/links?q=a%20b&tag=%5B%22x%22%5D#top",
  "/link/a/b",
  "/files?at=https://evil.example",
  "/sign-in?to=//evil.example",
])("%j is a page of the panel", (path) => {
  expect(parsePanelPath(path)).toBe(path);
});

test.each([
  "https://evil.example",
  "https:\\\\evil.example",
  "https:evil.example",
  "HTTPS://evil.example",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "\\/evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\r\\evil.example",
  "\t//evil.example",
  " //evil.example",
  "\u0000//evil.example",
  "/\u007f/evil.example",
  "/..//evil.example",
  "/.//evil.example",
  "/links/../..//evil.example",
  "/%2e%2e//evil.example",
  "/%2f/evil.example",
  "/%2Fevil.example",
  "/%5Cevil.example",
  "/%09/evil.example",
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,x",
  "links",
  "?q=a",
  "#a",
  "",
  "//[",
  7,
  [["/links"]],
  { to: "/links" },
  null,
  undefined,
])("%j leads nowhere", (text) => {
  expect(parsePanelPath(text)).toBeNull();
});

test("what stays is read as a path of the same origin", () => {
  expect(parsePanelPath("/../links/./a")).toBe("/links/a");
  expect(parsePanelPath("/lïnks")).toBe("/l%C3%AFnks");
});
