import { expect, test } from "bun:test";
import { pluralize } from "./pluralize.ts";

test("one takes the singular, other numbers the plural", () => {
  expect([0, 1, 2, 12_000].map((count) => pluralize(count, "link"))).toEqual([
    "0 links",
    "1 link",
    "2 links",
    "12,000 links",
  ]);
  expect(pluralize(2, "copy", "copies")).toBe("2 copies");
});
