import { expect, test } from "bun:test";
import { readModifiedAt } from "./modified-at.ts";

const read = (text: string | undefined) => readModifiedAt("modified_at", text);

test("times are RFC 3339 or seconds, and beyond the years 0 to 9999 the nearest one", () => {
  expect([read(undefined), read(" ")]).toEqual([undefined, undefined]);
  expect(read("2024-02-29T12:00:00+01:00")).toBe(Date.UTC(2024, 1, 29, 11));
  expect(read("1700000000.123")).toBe(1_700_000_000_123);
  expect(read("-11644473600")).toBe(Date.UTC(1601, 0));
  expect(read("4354819199")).toBe(Date.UTC(2107, 11, 31, 23, 59, 59));
  expect(new Date(read("9".repeat(30))!).toISOString()).toBe("9999-12-31T23:59:59.999Z");
  expect(new Date(read(`-${"9".repeat(30)}`)!).getUTCFullYear()).toBe(0);
});

test.each(["2023-02-29T00:00:00Z", "yesterday", "0x5f", "1e9", "NaN", "2024-01-01", "1".repeat(31)])(
  "%p is refused with a sentence",
  (text) => expect(() => read(text)).toThrow(/^modified_at must be a time such as/),
);
