/** The house's rule on file headers, as a test. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expectNone } from "./support/expect-none.ts";

const root = join(import.meta.dir, "..");
const MOST_WORDS = 80;
/** Algorithms and protocols, with the most words of their explanation. */
const EXPLANATIONS: Record<string, number> = {
  "src/clicks/rollups/calendar.ts": 150,
  "src/clicks/rollups/zone-change.ts": 150,
  "src/platform/db/availability.ts": 170,
  "src/platform/db/move-switch.ts": 180,
  "src/platform/db/dialects/sqlite-group.ts": 130,
  "src/extras/upkeep/restore.ts": 140,
  "src/platform/cluster/changes.ts": 200,
  "src/files/blobs/service.ts": 140,
  "src/files/check/storage-check.ts": 110,
  "src/clicks/journal/format.ts": 432,
  "src/clicks/rollups/retention.ts": 110,
  "src/clicks/rollups/rebuild.ts": 200,
  "src/links/cache/record-log.ts": 100,
  "src/links/cache/table.ts": 160,
  "src/links/cache/shared.ts": 140,
  "src/links/csv/import.ts": 90,
};

/** Words of the comment that opens the file, without its marks. */
function headerWords(text: string): number {
  const header = /^\s*\/\*\*?([\s\S]*?)\*\//.exec(text)?.[1] ?? "";
  return header.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const files = ["src", "test", "scripts"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name)),
);

test("file headers are short, except for named algorithms and protocols", () => {
  const tooLong = files
    .map((path) => ({ path, words: headerWords(readFileSync(join(root, path), "utf8")) }))
    .filter(({ path, words }) => words > (EXPLANATIONS[path] ?? MOST_WORDS))
    .map(({ path, words }) => `${path}: ${words} words`);
  const rule = `A file header has at most ${MOST_WORDS} words: say what the code does not. Only the explanation of an algorithm or protocol may be longer, up to its bound in EXPLANATIONS.`;
  expectNone(tooLong, rule);
});

test("every named exception exists and needs its bound", () => {
  const stale = Object.keys(EXPLANATIONS).filter(
    (path) => !files.includes(path) || headerWords(readFileSync(join(root, path), "utf8")) <= MOST_WORDS,
  );
  expect(stale).toEqual([]);
});
