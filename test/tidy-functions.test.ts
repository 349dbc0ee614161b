/** The rule on the length of functions. The linter's parser counts the lines. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { expectNone } from "./support/expect-none.ts";

const root = join(import.meta.dir, "..");
const MOST_LINES = 120;

/**
 * Longer ones, to be divided when one changes them. Most make an object of one subject out of small functions.
 */
const LONGER = ["src/clicks/journal/journal.ts createJournal"];

type Diagnostic = { filename: string; message: string };

/** By file and name. Tests, with their blocks of cases, have a limit for files only. */
function longFunctions(): Map<string, number> {
  const command = ["node", join(root, "node_modules/oxlint/bin/oxlint")];
  const rule = ["-A", "all", "-D", "max-lines-per-function", "-f", "json", "src", "panel/src"];
  const { stdout } = Bun.spawnSync([...command, ...rule], { cwd: root });
  const { diagnostics } = JSON.parse(stdout.toString()) as { diagnostics: Diagnostic[] };
  const found = diagnostics
    .filter(({ filename }) => !/\.(test|test-support)\.tsx?$/.test(filename))
    .map(({ filename, message }) => {
      const [, name = "a function without a name", lines] = /(?:`(\w+)` )?has too many lines \((\d+)\)/.exec(
        message,
      )!;
      return { place: `${filename} ${name}`, lines: Number(lines) };
    });
  expect(found.length).toBeGreaterThan(0);
  return new Map(found.filter(({ lines }) => lines > MOST_LINES).map(({ place, lines }) => [place, lines]));
}

test("functions are short", () => {
  const long = longFunctions();
  expectNone(
    [...long]
      .filter(([place]) => !LONGER.includes(place))
      .map(([place, lines]) => `${place}: ${lines} lines`),
    `A function has at most ${MOST_LINES} lines: give what it does in steps a function each, and what stands for itself a file. What its inner functions share goes into an object that they take.`,
  );
  expectNone(
    LONGER.filter((place) => !long.has(place)),
    `These have at most ${MOST_LINES} lines now: take them out of LONGER.`,
  );
}, 60_000);
