/** Every command of the documents is accounted for. Those of the README run here, the others in the long suite. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pagesWithCommands, readBlocks, runPage } from "./support/docs-commands.ts";

const isLong = process.env["WAYMARK_TEST_LONG"] === "1";
const FIRST_PAGE = "README.md";

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

test("the README leads to each page", () => {
  const readme = readFileSync(join(import.meta.dir, "..", FIRST_PAGE), "utf8");
  const found = readdirSync(join(import.meta.dir, "..", "docs")).filter((name) => name.endsWith(".md"));
  expect(found.filter((name) => !readme.includes(`(docs/${name})`))).toEqual([]);
});

const runs = pages.filter((page) => readBlocks(page).some(({ said }) => said?.kind === "run"));
test.each(runs.filter((page) => (page === FIRST_PAGE) !== isLong))(
  "the commands of %s work",
  async (page) => {
    const { exitCode, output } = await runPage(page);
    if (exitCode !== 0) throw new Error(output.slice(-4000));
  },
);
