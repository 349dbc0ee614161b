/**
 * Every regular expression of the server takes linear time, as recheck proves, or finds by trying where it can't prove
 * it. A file lists what was found safe, so that only new expressions cost time.
 */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { checkSync as check } from "recheck";
import { product, type SourceFile } from "./support/source-files.ts";

const require = createRequire(import.meta.url);
/** As JavaScript in this thread, without the programs of other platforms. */
const { checkSync } = require("recheck/lib/browser.js") as { checkSync: typeof check };
const { parseSync } = require("@babel/core") as {
  parseSync(text: string, options: object): { program: Node };
};
/** No clock: a busy machine comes to the same result. */
const PARAMETERS = { timeout: null, attackTimeout: null, incubationTimeout: null };

/** Expressions that need not be linear, or that no tool can judge, with the reason. */
const EXCEPTIONS: Record<string, string> = {
  [String.raw`/"((?:[^"\\]|\\.)*)"|'([^']*)'/g`]: "reads systemd's unit files, which root writes",
  [String.raw`/^\s*\[\s*"?([^\]"]+?)"?\s*\]/`]: "reads waymark.toml, which its owner writes",
  [String.raw`/^Max open files\s+(\d+|unlimited)/m`]: "reads a file of the kernel",
};
/** `new RegExp` in a function, with the reason why the expression is safe. */
const MADE_LATER: Record<string, string> = {
  "src/platform/http/openapi-examples.ts": "tries own examples on own patterns",
};

type Expression = { source: string; flags: string; place: string };
type Node = { type: string; loc: { start: { line: number } } } & Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield* nodesOf(one);
  }
}

/** The other files cost no parsing. */
const mayHaveOne = ({ text }: SourceFile): boolean =>
  text.split("\n").some((line) => /\/.+\/|RegExp/.test(line) && !/^\s*(?:import\b|\*|\/[/*])/.test(line));

function parse({ path, text }: SourceFile): Node {
  const parserOpts = { plugins: ["typescript"] };
  return parseSync(text, { filename: path, configFile: false, babelrc: false, parserOpts }).program;
}

const isMade = ({ type, callee }: Node): boolean =>
  (type === "NewExpression" || type === "CallExpression") && (callee as { name?: string }).name === "RegExp";

const literals: Expression[] = [];
/** Files that make expressions of text. */
const makers = new Set<string>();
for (const file of product.filter(mayHaveOne)) {
  for (const node of nodesOf(parse(file))) {
    if (isMade(node)) makers.add(file.path);
    if (node.type !== "RegExpLiteral") continue;
    const { pattern, flags } = node as unknown as { pattern: string; flags: string };
    literals.push({ source: pattern, flags, place: `${file.path}:${node.loc.start.line}` });
  }
}

/** Expressions that modules make of text while they are loaded. */
async function madeAtLoad(): Promise<Expression[]> {
  const made: Expression[] = [];
  const Original = globalThis.RegExp;
  let place = "";
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags = ""]: [string | RegExp, string?]) {
      const expression = new target(source, flags);
      made.push({ source: expression.source, flags, place });
      return expression;
    },
  });
  try {
    for (place of makers) await import(join(import.meta.dir, "..", `${place}?expressions`));
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}

const made = await madeAtLoad();
const key = ({ source, flags }: Expression): string => `/${source}/${flags}`;
/** Judged before. Others are judged now. */
const JUDGED = join(import.meta.dir, "fixtures", "safe-expressions.json");

/** `npm run judge:expressions` judges all, and writes the file. */
const IS_ANEW = process.env["JUDGE_EXPRESSIONS"] === "all";

test("every expression takes linear time", () => {
  const all = [...literals, ...made];
  const keys = new Set(all.map(key));
  const judged: string[] = IS_ANEW ? [] : JSON.parse(readFileSync(JUDGED, "utf8"));
  const wrong: string[] = [];
  const safe = new Set(judged.filter((text) => keys.has(text)));
  for (const { source, flags, place } of all) {
    const text = key({ source, flags, place });
    if (text in EXCEPTIONS || safe.has(text)) continue;
    const { status } = checkSync(source, flags, PARAMETERS);
    if (status === "safe") safe.add(text);
    else wrong.push(`${place}: ${text} is ${status}`);
  }
  if (IS_ANEW) writeFileSync(JUDGED, `${JSON.stringify([...safe].sort(), null, 2)}\n`);
  expect(wrong).toEqual([]);
  expect(Object.keys(EXCEPTIONS).filter((text) => !keys.has(text))).toEqual([]);
}, 600_000);

test("expressions made of text are judged at load, or have a reason", () => {
  const judged = new Set(made.map(({ place }) => place));
  expect([...makers].filter((path) => !judged.has(path)).sort()).toEqual(Object.keys(MADE_LATER).sort());
});
