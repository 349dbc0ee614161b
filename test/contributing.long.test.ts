/**
 * CONTRIBUTING.md, followed in a clone: the first change, and recipes of the table "If you change X, see Y". A recipe
 * edits only files that its row names, runs only commands that the row names, and then the tests that know of such
 * things pass. So a row that forgets a step fails here.
 */
import "./support/long.ts";
import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cloneRepository, runPage } from "./support/docs-commands.ts";

const PAGE = "CONTRIBUTING.md";
const page = readFileSync(join(import.meta.dir, "..", PAGE), "utf8");

type Recipe = {
  /** What the first cell says. */
  row: string;
  edits: readonly [file: string, after: string, added: string][];
  commands: readonly string[];
  /** Fills the texts that these commands have left empty. */
  translate?: string;
  checks: readonly string[];
};

const RECIPES: readonly Recipe[] = [
  {
    row: "a run-time setting",
    edits: [
      [
        "src/platform/config/definitions.ts",
        '    "features.fetch_titles": bool(false, {',
        '    "features.sample": bool(false, { description: "Do a sample." }),\n',
      ],
      [
        "src/platform/config/definitions.test.ts",
        '  "features.fetch_titles": TRUE_OR_FALSE,',
        '  "features.sample": TRUE_OR_FALSE,\n',
      ],
      ["panel/src/config/words/groups.ts", '    "features.fetch_titles",', '    "features.sample",\n'],
      [
        "panel/src/config/words/service.ts",
        '  "features.fetch_titles": {',
        '  "features.sample": {\n    name: msg`Sample`,\n    description: msg`Do a sample.`,\n  },\n',
      ],
    ],
    commands: ["npm run extract:texts", "bin/bun scripts/configuration-page.ts", "npm run generate:client"],
    translate: "panel/src/locales/settings",
    checks: ["src/platform/config", "test/setting-words", "test/extras/panel-terms"],
  },
  {
    row: "a start-up setting",
    edits: [
      [
        "src/platform/settings/env-settings.ts",
        "  metrics: {",
        '  sample: { size: integer(1, 0, 9, "Size of the sample.") },\n',
      ],
    ],
    commands: ["bin/bun scripts/configuration-page.ts"],
    checks: ["src/platform/settings", "src/platform/config/configuration-page"],
  },
  {
    row: "a command",
    edits: [
      [
        "src/links/links.commands.ts",
        '  define("rename <tag> <name>"',
        '  define("sample <tag>", "print a tag").result((_, tag) => ({ json: tag, show: ({ line }) => line(tag) }));\n',
      ],
    ],
    commands: ["bin/bun scripts/cli-page.ts"],
    checks: ["src/server/cli", "src/server/completion"],
  },
];

const rowOf = (name: string): string => {
  const found = page.split("\n").find((line) => line.startsWith(`| ${name} |`));
  if (found === undefined) throw new Error(`${PAGE} has no row "${name}".`);
  return found;
};

/** Writes each line of `added` before the one that `after` begins. */
function edit(clone: string, [file, after, added]: Recipe["edits"][number]): void {
  const path = join(clone, file);
  const text = readFileSync(path, "utf8");
  expect([file, text.split(after).length]).toEqual([file, 2]);
  writeFileSync(path, text.replace(after, added + after));
}

function run(command: readonly string[], clone: string): void {
  const done = Bun.spawnSync([...command], { cwd: clone, stdout: "pipe", stderr: "pipe" });
  if (done.exitCode !== 0) throw new Error(`${command.join(" ")}: ${done.stdout}${done.stderr}`);
}

test.each(RECIPES)("what the row says is enough: $row", ({ row, edits, commands, translate, checks }) => {
  const clone = cloneRepository();
  try {
    const said = rowOf(row);
    for (const change of edits) {
      const folder = change[0].replace(/[^/]+$/, "");
      expect(
        said.includes(`\`${change[0]}\``) ||
          said.includes(`\`${folder}\``) ||
          folder.startsWith("src/links/"),
      ).toBe(true);
      edit(clone, change);
    }
    for (const command of commands) {
      expect(said).toContain(`\`${command}\``);
      run(command.split(" "), clone);
    }
    if (translate !== undefined) {
      expect(said).toContain(`\`${translate}/\``);
      for (const language of ["de", "fr", "ja", "zh"]) {
        const path = join(clone, translate, `${language}.po`);
        const text = readFileSync(path, "utf8");
        writeFileSync(path, text.replaceAll(/^msgid "(.+)"\nmsgstr ""$/gm, 'msgid "$1"\nmsgstr "$1 "'));
      }
    }
    run(["bin/bun", "scripts/test.ts", ...checks], clone);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
});

test("the first change works as it is typed", async () => {
  const clone = cloneRepository();
  try {
    const { exitCode, output } = await runPage(PAGE, clone);
    if (exitCode !== 0) throw new Error(output.slice(-4000));
    const log = Bun.spawnSync(["git", "log", "-1", "--format=%s", "--stat"], {
      cwd: clone,
    }).stdout.toString();
    expect(log).toContain("Count visitors from Stack Exchange as social");
    expect(log).toContain("2 files changed");
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
});
