import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTextBlocks, END, SEPARATOR, type TextBlocks } from "./blocks.ts";

const opened: TextBlocks[] = [];
afterEach(() => {
  for (const blocks of opened.splice(0)) blocks.close();
});

function open(mostBytes?: number): TextBlocks {
  const folderOfOne = mkdtempSync(join(tmpdir(), "waymark-blocks-"));
  const path = join(folderOfOne, "texts");
  const blocks = createTextBlocks(path, mostBytes);
  expect(existsSync(path)).toBe(false);
  rmSync(folderOfOne, { recursive: true });
  opened.push(blocks);
  return blocks;
}

const link = (id: number, code: string, target = "", title = "", note = ""): string =>
  [id, code, target, title, note].map((text) => text + SEPARATOR).join("");
const put = (blocks: TextBlocks, ...links: string[]) => blocks.put(links.join(END));

function idsIn(bits: Uint8Array): number[] {
  const ids: number[] = [];
  for (let id = 0; id < bits.length * 8; id++) if ((bits[id >> 3]! >> (id & 7)) & 1) ids.push(id);
  return ids;
}
const found = (blocks: TextBlocks, ...needles: string[]) => idsIn(blocks.find(needles));

test("finds links by a part of any text, in any case of ASCII", () => {
  const blocks = open();
  put(
    blocks,
    link(1, "Spring", "https://a.test/x"),
    link(70_000, "b", "", "Höhe", "Line\nTwo"),
    link(3, "c"),
  );
  expect(found(blocks, "PRIN")).toEqual([1]);
  expect(found(blocks, "a.test")).toEqual([1]);
  expect(found(blocks, "höhe")).toEqual([70_000]);
  expect(found(blocks, "HÖHE")).toEqual([]);
  expect(found(blocks, "HÖHE", "höhe", "spring")).toEqual([1, 70_000]);
  expect(found(blocks, "e\nt")).toEqual([70_000]);
  expect(found(blocks, "nothing")).toEqual([]);
});

test("matches neither across texts nor by an id", () => {
  const blocks = open();
  put(blocks, link(1000, "one", "two"), link(2000, "three"));
  for (const needle of ["onetwo", "1000", "2000", "one\n", "\u0080", "@"]) {
    expect(found(blocks, needle)).toEqual([]);
  }
});

test("replaces a link, whatever the length of its new text, and keeps its neighbours", () => {
  const blocks = open();
  for (let id = 1; id <= 3000; id++) put(blocks, link(id, `c${id}.`));
  for (let round = 0; round < 40; round++) {
    for (const id of [1, 1023, 1024, 2500])
      put(blocks, link(id, `round ${round}.`, "x".repeat(round * 50_000)));
  }
  expect(found(blocks, "round 39.")).toEqual([1, 1023, 1024, 2500]);
  for (const gone of ["round 38.", "c1.", "c2500."]) expect(found(blocks, gone)).toEqual([]);
  for (const id of [2, 1022, 1025, 2499, 3000]) expect(found(blocks, `c${id}.`)).toEqual([id]);
});

test("tells how many links were whole", () => {
  const blocks = open();
  const whole = [link(1, "a", "first"), link(2, "ß", "second"), link(3, "c", "third")].join(END);
  expect(blocks.put(whole.slice(0, -1))).toEqual({ links: 2, beyondAscii: [2] });
  expect(found(blocks, "third")).toEqual([]);
  expect(blocks.put(link(4, "stray", SEPARATOR))).toEqual({ links: 0, beyondAscii: [] });
  expect(blocks.put(whole)).toEqual({ links: 3, beyondAscii: [2] });
  expect(found(blocks, "third")).toEqual([3]);
});

test("refuses more text than a file may hold", () => {
  const blocks = open(10_000);
  put(blocks, link(1, "x".repeat(5000)));
  expect(() => put(blocks, link(2000, "y".repeat(5000)))).toThrow("too much text");
  expect(found(blocks, "xxx")).toEqual([1]);
});
