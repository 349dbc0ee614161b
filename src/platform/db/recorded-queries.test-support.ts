/**
 * Records each distinct query of the suites on SQLite, so that scripts/explain-queries.ts can compile and explain it on
 * the other three databases. What the dialect contributes is marked in the query by a comment with a number, which SQLite
 * ignores; its method and arguments are recorded beside, and the other dialect's own part takes its place. Calls of bulk
 * statements are recorded as calls. Both rest on the rule that only repositories and `db/` hold queries.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serialize } from "bun:jsc";
import {
  createQueryId,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  type RawBuilder,
  type RawNode,
  type RootOperationNode,
  sql,
  SqliteQueryCompiler,
} from "kysely";
import type { Database } from "./database.ts";
import type { Dialect } from "./dialect.ts";

/** Methods of the dialect that make a part of a query. */
const PARTS = [
  "linkContains",
  "nameContains",
  "withoutEndNumber",
  "linkCandidates",
  "sum",
  "scanned",
  "joinTexts",
  "valuesTable",
  "now",
] as const satisfies readonly (keyof Dialect)[];
const LOCKS = ["forUpdate", "forShare"] as const satisfies readonly (keyof Dialect)[];
const BULK = [
  "addToCounters",
  "insertMany",
  "insertIgnore",
  "upsert",
  "updateMany",
] as const satisfies readonly (keyof Dialect)[];

type Part = { method: (typeof PARTS)[number] | (typeof LOCKS)[number]; args: unknown[] };

/** `parts` by the numbers in the marks. */
export type RecordedQuery = { key: string; file: string } & (
  | { node: RootOperationNode; parts: Record<number, Part> }
  | { method: (typeof BULK)[number]; args: unknown[] }
);

const MARK = /\/\*~(\d+)~\*\//;

/** The number of the part that the node is, or undefined. A lock is the mark itself, any other part follows its mark. */
function markOf({ sqlFragments, parameters }: RawNode): number | undefined {
  const first = parameters[0] as RawNode | undefined;
  const text = sqlFragments[0] || (first?.kind === "RawNode" ? first.sqlFragments[0] : "");
  const at = MARK.exec(text ?? "")?.[1];
  return at === undefined ? undefined : Number(at);
}

const folder: string | undefined = process.env["WAYMARK_TEST_QUERIES"];
/** Statements of a bulk call are the dialect's own. */
const inBulk = new AsyncLocalStorage<true>();
const recorded = new Map<string, RecordedQuery>();
const parts: Part[] = [];

/** Writes what the process has recorded so far; a suite calls it at its end. */
export function writeRecordedQueries(): void {
  if (folder === undefined || recorded.size === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${process.pid}.bin`), new Uint8Array(serialize([...recorded.values()])));
}

/** The same query with other numbers of values in a list has the same key. */
const keyOf = (text: string): string =>
  text
    .replace(/\/\*~(\d+)~\*\//g, (_, at: string) => `/*${parts[Number(at)]!.method}*/`)
    .replace(/\?(?:, \?)+/g, "?, …")
    .replace(/\(\?, …\)(?:, \(\?, …\))+/g, "(?, …), …");

const numbersIn = (node: RootOperationNode): number[] => {
  const found: number[] = [];
  class Marks extends OperationNodeTransformer {
    protected override transformRaw(raw: RawNode, id: QueryId): RawNode {
      const at = markOf(raw);
      if (at !== undefined) found.push(at);
      return super.transformRaw(raw, id);
    }
  }
  new Marks().transformNode(node, createQueryId());
  return found;
};

function record(node: RootOperationNode): void {
  if (inBulk.getStore()) return;
  if (!/^(?:Select|Insert|Update|Delete|Raw)/.test(node.kind)) return;
  const key = keyOf(new SqliteQueryCompiler().compileQuery(node, createQueryId()).sql);
  if (recorded.has(key)) return;
  const used = Object.fromEntries(numbersIn(node).map((at) => [at, parts[at]!]));
  recorded.set(key, { key, file: callerOf(), node, parts: used });
}

/** The repository that made the query. */
const callerOf = (): string =>
  new Error().stack?.match(/src\/[\w/-]*(?:repository|db\/[\w-]+(?<!test-support))\.ts/)?.[0] ?? "";

const recorder: KyselyPlugin = {
  transformQuery({ node }) {
    record(node);
    return node;
  },
  transformResult: async ({ result }) => result,
};

function marked(dialect: Dialect): Dialect {
  const mark = (part: Part) => {
    parts.push(part);
    return sql.raw(`/*~${parts.length - 1}~*/`);
  };
  const methods: Record<string, unknown> = {};
  for (const method of PARTS) {
    methods[method] = (...args: unknown[]) => {
      const made = (dialect[method] as (...given: unknown[]) => unknown)(...args);
      if (made === null) return null;
      const { expression, alias } = made as { expression?: never; alias?: never };
      // An aliased part keeps its name: `v` of a table of values.
      if (alias !== undefined) return sql`${mark({ method, args })}${expression}`.as(alias);
      return sql`${mark({ method, args })}${made as never}`;
    };
  }
  for (const method of LOCKS) {
    methods[method] = (query: { modifyEnd(end: unknown): unknown }) =>
      query.modifyEnd(mark({ method, args: [] }));
  }
  for (const method of BULK) {
    methods[method] = (db: unknown, ...args: unknown[]) => {
      const shape = args.filter((arg) => !Array.isArray(arg) || typeof arg[0] === "string");
      const columns = Object.keys(Object((args.at(-1) as unknown[] | undefined)?.[0]));
      const key = `${method} ${JSON.stringify([...shape, columns])}`;
      const few = args.map((arg) =>
        Array.isArray(arg) && typeof arg[0] !== "string" ? arg.slice(0, 2) : arg,
      );
      if (!recorded.has(key)) recorded.set(key, { key, file: callerOf(), method, args: few });
      return inBulk.run(true, () => (dialect[method] as (...given: unknown[]) => unknown)(db, ...args));
    };
  }
  return { ...dialect, ...methods };
}

/** The same database, recorded, if the run asks for it by WAYMARK_TEST_QUERIES=FOLDER. */
export function recordQueries(database: Database): Database {
  if (folder === undefined || database.dialect.name !== "sqlite") return database;
  const { read, reports, write, slow } = database;
  return {
    ...database,
    read: read.withPlugin(recorder),
    reports: reports.withPlugin(recorder),
    write: write.withPlugin(recorder),
    slow: slow.withPlugin(recorder),
    dialect: marked(database.dialect),
    transaction: (run, options) => database.transaction((tx) => run(tx.withPlugin(recorder)), options),
  };
}

/** Stands for a query: a dialect that locks it returns the words of the lock. */
const LOCKED = { forUpdate: () => sql`for update`, modifyEnd: (words: unknown) => words };

export class PartMissing extends Error {}

/**
 * Puts the parts of another dialect where the marks are.
 * @throws PartMissing if the dialect has none, so that its repositories ask another query
 */
export function translate(node: RootOperationNode, used: Record<number, Part>, dialect: Dialect) {
  class Parts extends OperationNodeTransformer {
    protected override transformRaw(raw: RawNode, id: QueryId): RawNode {
      const at = markOf(raw);
      const part = at === undefined ? undefined : used[at];
      if (part === undefined) return super.transformRaw(raw, id);
      if (part.method === "forUpdate" || part.method === "forShare") {
        const lock = dialect[part.method] as (query: typeof LOCKED) => unknown;
        return (lock(LOCKED) as RawBuilder<unknown>).toOperationNode() as RawNode;
      }
      const made = (dialect[part.method] as (...args: unknown[]) => { toOperationNode(): RawNode })(
        ...part.args,
      );
      // The dialect has no such part, so its repositories do not ask this query.
      if (made === null) throw new PartMissing();
      const { expression } = made as { expression?: { toOperationNode(): RawNode } };
      return (expression ?? made).toOperationNode();
    }
  }
  return new Parts().transformNode(node, createQueryId());
}
