import { expect, test } from "bun:test";
import { counted } from "./counted.ts";

test("one takes the singular, everything else the plural", () => {
  expect([0, 1, 2, 12_000].map((count) => counted(count, "link"))).toEqual([
    "0 links",
    "1 link",
    "2 links",
    "12,000 links",
  ]);
  expect(counted(2, "copy", "copies")).toBe("2 copies");
});
