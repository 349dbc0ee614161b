import { expect, test } from "bun:test";
import { queryIn, queryLine } from "../panel/src/links/form/condition-value.ts";

test("parameters of a query are read and written in one line", () => {
  const line = "ref=mail&lang&a%20b=x%26y";
  const query = { ref: "mail", lang: true as const, "a b": "x&y" };
  expect(queryIn(line)).toEqual(query);
  expect(queryIn(`?${line}&`)).toEqual(query);
  expect(queryLine(query)).toBe(line);
  expect(queryIn(" ")).toEqual({});
});
