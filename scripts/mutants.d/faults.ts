/** Small faults that a person could make, found in the syntax tree: one edit each. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { parseSync } = createRequire(import.meta.url)("@babel/core") as {
  parseSync(text: string, options: object): { program: Node };
};

export const KINDS = ["comparison", "await", "condition", "off by one", "column"] as const;
export type Kind = (typeof KINDS)[number];

export type Fault = {
  kind: Kind;
  /** A path from the root. */
  file: string;
  line: number;
  /** Offsets in the text, and what replaces it. */
  start: number;
  end: number;
  text: string;
};

type Node = { type: string; start: number; end: number; loc: { start: { line: number } } } & Record<
  string,
  unknown
>;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const TURNED: Record<string, string> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
};

/** Methods of the query builder whose texts name columns. */
const NAMES_COLUMNS = /^(?:select|where|whereRef|orderBy|groupBy|ref|set|onRef|having)$/;
const COLUMN = /^(?:[a-z_]+\.)?[a-z][a-z_]+$/;

/** Whether a number in the node counts something, and is no bound or unit. */
function isPlace(parent: Node | null): boolean {
  if (parent?.type === "BinaryExpression") return /^(?:[-+]|[<>]=?|[!=]==)$/.test(String(parent["operator"]));
  if (parent?.type !== "CallExpression") return false;
  const property = (parent["callee"] as Node)["property"];
  return isNode(property) && /^(?:slice|at|splice|subarray)$/.test(String(property["name"]));
}

/** All faults that fit a file. */
export function faultsIn(root: string, file: string): Fault[] {
  const source = readFileSync(join(root, file), "utf8");
  const parserOpts = { plugins: ["typescript"] };
  const { program } = parseSync(source, { filename: file, configFile: false, babelrc: false, parserOpts });
  const faults: Fault[] = [];
  const columns: Node[] = [];
  const add = (kind: Kind, { start, end, loc }: Node, text: string): void => {
    faults.push({ kind, file, line: loc.start.line, start, end, text });
  };
  const textOf = (node: Node): string => source.slice(node.start, node.end);

  function visit(node: Node, parent: Node | null): void {
    if (/^(?:TS|Import|Export(?!Named))/.test(node.type) && !/^TS(?:As|NonNull|Satisfies)/.test(node.type))
      return;
    const { type, operator, left, right, test, argument } = node;
    if (type === "BinaryExpression" && isNode(left) && isNode(right) && TURNED[String(operator)]) {
      add("comparison", node, `${textOf(left)} ${TURNED[String(operator)]} ${textOf(right)}`);
    }
    if (type === "AwaitExpression" && isNode(argument) && parent?.type === "ExpressionStatement") {
      add("await", node, `void ${textOf(argument)}`);
    }
    if (type === "IfStatement" && isNode(test)) add("condition", test, "false as boolean");
    if (type === "LogicalExpression" && operator !== "??" && isNode(left)) {
      add("condition", node, textOf(left));
    }
    if (type === "NumericLiteral" && isPlace(parent) && Number(node["value"]) <= 2) {
      add("off by one", node, String(Number(node["value"]) + 1));
    }
    if (type === "CallExpression" && isNode(node["callee"])) {
      const property = node["callee"]["property"];
      const method = isNode(property) ? String(property["name"]) : "";
      const [first] = node["arguments"] as Node[];
      if (NAMES_COLUMNS.test(method) && first?.type === "StringLiteral") {
        if (COLUMN.test(String(first["value"]))) columns.push(first);
      }
    }
    for (const value of Object.values(node)) {
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) visit(one, node);
    }
  }
  visit(program, null);
  for (const [index, column] of columns.entries()) {
    const other = columns[(index + 1) % columns.length]!;
    if (column["value"] !== other["value"]) add("column", column, JSON.stringify(other["value"]));
  }
  return faults;
}

export const withFault = (source: string, { start, end, text }: Fault): string =>
  source.slice(0, start) + text + source.slice(end);

/** Numbers in [0, 1) from a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The folder that a file's tests are in: `src/links`, `src/platform/db`, `src/extras/mail`. */
export function roomOf(file: string): string {
  const [, first = "", second = ""] = file.split("/");
  return ["platform", "extras"].includes(first) ? `src/${first}/${second}` : `src/${first}`;
}

/**
 * Faults in random order, spread over the rooms: each room is named once before any is named again, then by the number of
 * its files.
 */
export function* chooseFaults(root: string, files: readonly string[], seed: number): Generator<Fault> {
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const rooms = Map.groupBy(files, roomOf);
  const used = new Set<string>();
  const order = [...rooms.keys()].sort(() => random() - 0.5);
  for (;;) {
    const room = order.pop() ?? roomOf(pick(files));
    const kind = pick(KINDS);
    for (let tries = 0; tries < 50; tries++) {
      const fitting = faultsIn(root, pick(rooms.get(room)!)).filter(
        (fault) => fault.kind === kind || tries > 30,
      );
      if (fitting.length === 0) continue;
      const fault = pick(fitting);
      const key = `${fault.file}:${fault.start}:${fault.kind}`;
      if (used.has(key)) continue;
      used.add(key);
      yield fault;
      break;
    }
  }
}
