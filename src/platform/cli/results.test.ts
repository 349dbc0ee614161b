import { expect, test } from "bun:test";
import { allPages } from "./results.ts";

test.each([0, 1, 99, 100, 101, 200, 250])("all %p rows are read, page by page", async (total) => {
  const rows = Array.from({ length: total }, (_, at) => at);
  const requested: number[] = [];
  const found = await allPages(async ({ page, pageSize }) => {
    requested.push(page);
    return rows.slice((page - 1) * pageSize, page * pageSize);
  });
  expect(found).toEqual(rows);
  expect(requested).toEqual(Array.from({ length: Math.floor(total / 100) + 1 }, (_, at) => at + 1));
});
