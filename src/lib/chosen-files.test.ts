import { expect, test } from "bun:test";
import { isAsChosen, readDropped } from "./chosen-files.ts";

type Made = FileSystemEntry & { name: string };
const file = (name: string, isReadable = true): Made =>
  ({
    name,
    isFile: true,
    file: (resolve: (found: File) => void, reject: (error: Error) => void) =>
      isReadable ? resolve(new File(["x"], name)) : reject(new Error("NotReadableError")),
  }) as unknown as Made;
const folder = (name: string, inside: readonly Made[], isReadable = true): Made =>
  ({
    name,
    isFile: false,
    createReader() {
      const parts = [inside.slice(0, 1), inside.slice(1), []];
      return {
        readEntries: (resolve: (some: readonly Made[]) => void, reject: (error: Error) => void) =>
          isReadable ? resolve(parts.shift()!) : reject(new Error("NotReadableError")),
      };
    },
  }) as unknown as Made;

test("what can't be read in a dropped folder is named, and the rest is found", async () => {
  const found: string[] = [];
  const tree = folder("top", [
    file("a"),
    file("cloud", false),
    folder("locked", [file("b")], false),
    folder("in", [file("c")]),
  ]);
  await readDropped(tree, {
    file: ({ name }, folders) => found.push(`file ${[...folders, name].join("/")}`),
    folder: (names) => found.push(`folder ${names.join("/")}`),
    unreadable: (names) => found.push(`unreadable ${names.join("/")}`),
  });
  expect(found).toEqual([
    "folder top",
    "file top/a",
    "unreadable top/cloud",
    "folder top/locked",
    "unreadable top/locked",
    "folder top/in",
    "file top/in/c",
  ]);
});

test("a file is as chosen while its last byte can be read", async () => {
  expect(await isAsChosen(new Blob(["abc"]))).toBe(true);
  expect(await isAsChosen(new Blob([]))).toBe(true);
  const shrunk = { size: 3, slice: () => new Blob([]) } as unknown as Blob;
  expect(await isAsChosen(shrunk)).toBe(false);
  const gone = { size: 3, slice: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }) };
  expect(await isAsChosen(gone as unknown as Blob)).toBe(false);
});

test("pages have the text of these functions, which need nothing else", () => {
  for (const one of [isAsChosen, readDropped])
    expect(typeof new Function(`return ${one}`)()).toBe("function");
});
