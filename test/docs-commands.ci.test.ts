/** Every command of the documents is accounted for. Those of the README run here, the others in the long suite. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isLong } from "../src/platform/db/fresh.test-support.ts";
import {
  changesIn,
  cloneRepository,
  pagesWithCommands,
  readBlocks,
  runPage,
} from "./support/docs-commands.ts";

const FIRST_PAGE = "README.md";
/** Pages that other tests run, in a clone. */
const IN_CLONE = [FIRST_PAGE, "CONTRIBUTING.md"];
const ROOT = join(import.meta.dir, "..");

/** Why a block does not run, in few words. */
const MOST_REASON = 200;

const pages = pagesWithCommands();

test("each block of commands says whether it runs, or why not (test/support/docs-commands.ts)", () => {
  const blocks = pages.flatMap(readBlocks);
  expect(blocks.length).toBeGreaterThan(50);
  expect(blocks.filter(({ said }) => said === null).map(({ place }) => place)).toEqual([]);
  const long = blocks.filter(({ said }) => said?.kind === "not run" && said.reason.length > MOST_REASON);
  expect(long.map(({ place }) => place)).toEqual([]);
  const stale = blocks.flatMap(({ place, text, said }) =>
    said?.kind === "run"
      ? said.values.filter(([from]) => !text.includes(from)).map(([from]) => `${place}: ${from}`)
      : [],
  );
  expect(stale).toEqual([]);
});

test("no comment hides a recipe: a value answers a question, and is no command", () => {
  const hidden = pages
    .flatMap(readBlocks)
    .flatMap(({ place, said }) =>
      said?.kind === "run"
        ? said.values
            .filter(([, value]) => /\$\(|`|&&|;|\|/.test(value))
            .map(([, value]) => `${place}: ${value}`)
        : [],
    );
  expect(hidden).toEqual([]);
});

const PARSERS = { toml: Bun.TOML.parse, yaml: Bun.YAML.parse, json: JSON.parse };

test("each file that a page shows can be read as what it says it is", () => {
  for (const page of new Bun.Glob("docs/*.md").scanSync({ cwd: ROOT }))
    for (const [, kind, text] of readFileSync(join(ROOT, page), "utf8").matchAll(
      /^ *```(toml|yaml|json)\n(.*?)^ *```$/gms,
    ))
      expect(() => PARSERS[kind as keyof typeof PARSERS](text!), `${page}: ${text}`).not.toThrow();
});

test("the README leads to each page", () => {
  const readme = readFileSync(join(ROOT, FIRST_PAGE), "utf8");
  const found = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  expect(found.filter((name) => !readme.includes(`(docs/${name})`))).toEqual([]);
});

const runs = pages.filter((page) => readBlocks(page).some(({ said }) => said?.kind === "run"));
const fail = (output: string) => {
  throw new Error(output.slice(-4000));
};

test.skipIf(isLong)(
  "the commands of the README work in a fresh clone, and leave nothing to commit",
  async () => {
    const clone = cloneRepository();
    try {
      const { exitCode, output } = await runPage(FIRST_PAGE, clone);
      if (exitCode !== 0) fail(output);
      expect(changesIn(clone)).toBe("");
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  },
);

// In CI a test that is skipped counts as failed.
if (isLong)
  test.each(runs.filter((page) => !IN_CLONE.includes(page)))("the commands of %s work", async (page) => {
    const { exitCode, output } = await runPage(page);
    if (exitCode !== 0) fail(output);
  });
