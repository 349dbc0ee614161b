/** The words of STYLE.md that code may not use, and the comments that may not begin in the middle of a sentence. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expectNone } from "./support/expect-none.ts";

const root = join(import.meta.dir, "../src");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const texts = new Map(files.map((path) => [path, readFileSync(join(root, path), "utf8")]));

/** Words of identifiers, in lower case. Several words follow one another in the identifier. */
const RIDDLES = [
  "says",
  "said by",
  "let in",
  "wish",
  "wishes",
  "heard",
  "told",
  "died",
  "given up",
  "judge",
  "judges",
  "judged",
  "asked",
  "wanted",
  "brought",
];
/** Comments and texts. */
const NOT_CODE = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
const MOST_FRAGMENTS = 0.05;

/** `isToldBy` and `MOST_TOLD`: " is told by ", " most told ". */
function wordsOf(identifier: string): string {
  const words = identifier.replaceAll(/([a-z\d])([A-Z])|_/g, "$1 $2").toLowerCase();
  return ` ${words} `;
}

test("identifiers have the words of the field", () => {
  const riddle = new RegExp(` (?:${RIDDLES.join("|")}) `);
  const found = [...texts].flatMap(([path, text]) => {
    const identifiers = new Set(text.replaceAll(NOT_CODE, " ").match(/\w+/g));
    return [...identifiers]
      .filter((name) => riddle.test(wordsOf(name)))
      .map((name) => `src/${path}: ${name}`);
  });
  expectNone(found, "STYLE.md, Names: an identifier has the words of the field, not those of RIDDLES.");
});

test("comments of one line are sentences, or noun phrases that name the thing", () => {
  const comments = [...texts.values()].flatMap((text) => [...text.matchAll(/\/\*\* (\S+) .*\*\/$/gm)]);
  const fragments = comments.filter(([, first]) => /^(?:Of|For|Null|In|By)\b/.test(first!));
  expect(comments.length).toBeGreaterThan(1_000);
  expect(fragments.length / comments.length).toBeLessThanOrEqual(MOST_FRAGMENTS);
});
