import { expect, test } from "bun:test";
import { forwardedEntry, isForwardedHttps, parseForwardedPrefix } from "./forwarded.ts";

test.each([
  [null, 0, null],
  ["", 0, null],
  [" , ", 0, null],
  ["a", 0, "a"],
  ["a", 3, "a"],
  ["a, b ,c", 0, "c"],
  ["a, b ,c", 1, "b"],
  ["a, b ,c", 2, "a"],
  ["a, b ,c", Number.POSITIVE_INFINITY, "a"],
])("the entry of %j at hop %d is %j", (list, hop, entry) => {
  expect(forwardedEntry(list, hop)).toBe(entry);
});

test.each([
  ["https", 0, true],
  ["HTTPS", 0, true],
  [" Https ", 0, true],
  ["https,http", undefined, true],
  ["https, http", 1, true],
  ["https,http", 0, false],
  ["http,https", 0, true],
  ["http,https", undefined, false],
  ["httpsx", 0, false],
  ["", 0, false],
])("X-Forwarded-Proto %j at hop %p means HTTPS: %p", (value, hop, expected) => {
  expect(isForwardedHttps(new Headers({ "X-Forwarded-Proto": value }), hop)).toBe(expected);
});

test.each([
  [null, ""],
  ["/", ""],
  ["/go", "/go"],
  ["/go/", "/go"],
  ["/a/b-c.d", "/a/b-c.d"],
  ["go", ""],
  ["//evil.example", ""],
  ["/a//b", ""],
  ["/a/../b", ""],
  ["/.", ""],
  ["/a;Domain=x", ""],
  ["/a\r\nX: y", ""],
  [`/${"a".repeat(65)}`, ""],
  ["/a/b/c/d/e/f/g/h/i", ""],
])("the prefix %j is read as %j", (text, prefix) => {
  expect(parseForwardedPrefix(text)).toBe(prefix);
});
