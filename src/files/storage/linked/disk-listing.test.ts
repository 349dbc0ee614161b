/** What is known of a folder against what is in it now, also where it changes after it was listed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFolder, timeOf } from "./disk-listing.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-listing-")));
  mkdirSync(join(root, "in"));
  write("a", "first");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(root, "in", name), text);
const known = (id: number, name: string) => {
  const found = statSync(join(root, "in", name), { bigint: true });
  return { id, name, kind: "file" as const, size: Number(found.size), time: timeOf(found) };
};
const listed = () => listFolder(root, ["in"]);

test("what is equal is no difference, and what is left comes as the rest", () => {
  write("b", "new");
  const one = listed();
  expect(one.compare([known(1, "a")])).toEqual({ gone: [], changed: [] });
  expect(one.rest().map(({ name }) => name)).toEqual(["b"]);
});

test("what came or was written after the listing is neither gone nor changed", () => {
  const before = known(1, "a");
  const one = listed();
  write("later", "later");
  write("a", "another text");
  expect(one.compare([known(1, "a"), known(2, "later")])).toEqual({ gone: [], changed: [] });
  const two = listed();
  expect(two.compare([before]).changed).toMatchObject([{ id: 1, size: "another text".length }]);
  rmSync(join(root, "in", "later"));
  expect(listed().compare([{ ...before, id: 3, name: "later" }]).gone).toEqual([3]);
});

test("nothing is gone or changed where the folder can't be read any more", () => {
  const other = { ...known(1, "a"), size: 1 };
  const one = listed();
  renameSync(join(root, "in"), join(root, "out"));
  expect(one.compare([other, { ...other, id: 2, name: "none" }])).toEqual({ gone: [], changed: [] });
  expect(one.rest()).toEqual([]);
});
