import { expect, test } from "bun:test";
import { codeOf, domainOf, keyOf, keysOf } from "./key.ts";

const CODES = ["a", "z/z", "9", "_.-", "c".repeat(128)];
const DOMAINS = [0, 1, 9, 10, 12, 123, 999_999];

test("the key of the default domain is the code", () => {
  for (const code of CODES) expect(keyOf(0, code)).toBe(code);
});

test.each(DOMAINS)("a key of domain %d tells its domain and code", (domain) => {
  for (const code of CODES) {
    expect(codeOf(keyOf(domain, code))).toBe(code);
    expect(domainOf(keyOf(domain, code))).toBe(domain);
    expect(keyOf(domain, code).length).toBeLessThanOrEqual(140);
  }
});

test("the range of a domain holds its keys and no others", () => {
  for (const domain of DOMAINS) {
    const { from, to } = keysOf(domain);
    for (const other of DOMAINS) {
      for (const code of CODES) {
        const key = keyOf(other, code);
        expect(key >= from && key < to).toBe(other === domain);
      }
    }
  }
});

test("two domains never share a key", () => {
  const keys = DOMAINS.flatMap((domain) => CODES.map((code) => keyOf(domain, code)));
  expect(new Set(keys).size).toBe(keys.length);
});
