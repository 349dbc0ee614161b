import { expect, test } from "bun:test";
import { pagesAfter } from "./pages.ts";

async function pagesTo(last: number): Promise<{ pages: number[][]; cursors: number[] }> {
  const cursors: number[] = [];
  const read = async (after: number, limit: number) => {
    cursors.push(after);
    return Array.from({ length: Math.min(limit, last - after) }, (_, at) => after + at + 1);
  };
  const pages = await Array.fromAsync(pagesAfter(0, 3, read, (number) => number));
  return { pages, cursors };
}

test("pages follow each other until one is not full", async () => {
  expect(await pagesTo(7)).toEqual({ pages: [[1, 2, 3], [4, 5, 6], [7]], cursors: [0, 3, 6] });
});

test("an empty page is not given", async () => {
  expect(await pagesTo(0)).toEqual({ pages: [], cursors: [0] });
  expect(await pagesTo(3)).toEqual({ pages: [[1, 2, 3]], cursors: [0, 3] });
});
