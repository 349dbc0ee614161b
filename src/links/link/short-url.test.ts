import { expect, test } from "bun:test";
import { shortUrl } from "./short-url.ts";

test.each([
  ["a", "a"],
  ["a/b_c.d-e", "a/b_c.d-e"],
  [".a/..b/c..", ".a/..b/c.."],
  // What browsers and proxies would rewrite.
  ["a/", "a%2F"],
  ["/a", "%2Fa"],
  ["a//b", "a%2F%2Fb"],
  ["a/./b", "a%2F.%2Fb"],
  ["a/../b", "a%2F..%2Fb"],
  ["a/..", "a%2F.."],
])("the address of %j", (code, path) => {
  const url = shortUrl("https://go.example:8080", null, code);
  expect(url).toBe(`https://go.example:8080/${path}`);
  expect(new URL(url).href).toBe(url);
});

test("another domain has the scheme of the default one and no port", () => {
  expect(shortUrl("http://go.example:8080", "b.example", "a/b")).toBe("http://b.example/a/b");
  expect(shortUrl("https://go.example", "b.example", "a")).toBe("https://b.example/a");
});
