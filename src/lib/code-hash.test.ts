import { expect, test } from "bun:test";
import { ESCAPED, hashBytes, hashCode, hashCodes, NOT_A_CODE, scanCode } from "./code-hash.ts";

test("a code ends at the query, the fragment or the end of the text", () => {
  expect(scanCode("http://h/a-b_c.d/E9?x=1", 9)).toBe(19);
  expect(scanCode("http://h/abc", 9)).toBe(12);
  expect(scanCode("http://h/?x", 9)).toBe(9);
  expect(scanCode("", 0)).toBe(0);
});

test("a code has only a-z A-Z 0-9 _ . - /", () => {
  const allowed = /[a-zA-Z0-9_.\-/]/;
  for (let character = 0; character < 300; character++) {
    const text = String.fromCharCode(character);
    const expected = allowed.test(text) ? 1 : text === "?" ? 0 : text === "%" ? ESCAPED : NOT_A_CODE;
    expect({ character, result: scanCode(text, 0) }).toEqual({ character, result: expected });
  }
});

test("a code has at most 128 characters", () => {
  expect(scanCode(`/${"a".repeat(128)}?q`, 1)).toBe(129);
  expect(scanCode(`/${"a".repeat(129)}?q`, 1)).toBe(NOT_A_CODE);
});

test("bytes and characters have the same hash at any position, and another with another seed", () => {
  for (const code of ["a", "b", "ab", "ba", "x/y.z", "a".repeat(128)]) {
    const hash = hashCode(`http://h/${code}?q`, 9, 9 + code.length, 42);
    expect(hash).toBe(hashCode(code, 0, code.length, 42));
    expect(hash).toBe(hashBytes(Buffer.from(`--${code}`), 2, 2 + code.length, 42));
    expect(hash).not.toBe(hashCode(code, 0, code.length, 43));
  }
});

test("codes have the same hash alone and in a text of codes", () => {
  for (const codes of [[], ["a"], ["a", "x/y.z", "a".repeat(128)]]) {
    const found: number[] = [];
    hashCodes(codes.join(" "), 42, (hash) => found.push(hash));
    expect(found).toEqual(codes.map((code) => hashCode(code, 0, code.length, 42)));
  }
});
