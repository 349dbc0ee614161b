import { expect, test } from "bun:test";
import { foundResult } from "./privacy.commands.ts";

test("commands say when servers have not answered, and what a search does not cover", () => {
  const notesOf = (missing: number, uncovered: string | null = null) =>
    foundResult({ found: [], missing, uncovered }, "Nothing is stored.").notes;
  expect(notesOf(0)).toEqual([]);
  expect(notesOf(1)).toEqual([expect.stringMatching(/^1 server process did not answer/)]);
  expect(notesOf(2)).toEqual([expect.stringMatching(/^2 server processes did not answer/)]);
  expect(notesOf(0, "Not the backups.")).toEqual(["Not the backups."]);
});
