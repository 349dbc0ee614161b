import { expect, test } from "bun:test";
import { pagesAfter } from "./pages.ts";

async function pagesTo(last: number): Promise<{ pages: number[][]; asked: number[] }> {
  const asked: number[] = [];
  const read = async (after: number, limit: number) => {
    asked.push(after);
    return Array.from({ length: Math.min(limit, last - after) }, (_, at) => after + at + 1);
  };
  const pages = await Array.fromAsync(pagesAfter(0, 3, read, (number) => number));
  return { pages, asked };
}

test("pages follow each other until one is not full", async () => {
  expect(await pagesTo(7)).toEqual({ pages: [[1, 2, 3], [4, 5, 6], [7]], asked: [0, 3, 6] });
});

test("an empty page is not given", async () => {
  expect(await pagesTo(0)).toEqual({ pages: [], asked: [0] });
  expect(await pagesTo(3)).toEqual({ pages: [[1, 2, 3]], asked: [0, 3] });
});
