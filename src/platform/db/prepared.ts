/**
 * Queries that are built once: building one costs as much as running it (93 of 208 µs for a recursive one). They find
 * their rows by an index and return few, so SQLite runs those of `read` on the calling thread, where a hop to another
 * thread would cost more than the query.
 */
import { type Compilable, CompiledQuery, type QueryResult } from "kysely";
import type { Db } from "./dialect.ts";
import { queryResultOf, type StatementResult } from "./driver.ts";

type Value = string | number | null;
type Argument = Value | readonly Value[];

/** Stands for an argument, or for an item of it, while the query is built. */
class Parameter {
  constructor(
    readonly argument: number,
    readonly item: number | null,
  ) {}
}

/** Of longer lists, one combination of lengths is kept: that of the portions of long work. Others are built each time. */
const MOST_ITEMS = 100;
const MOST_TEMPLATES = 100;

export type RunOnCallingThread = (sql: string, parameters: readonly unknown[]) => StatementResult;

const onCallingThread = new WeakMap<Db, RunOnCallingThread>();

/** Prepared queries and statements as text of `db` run by `run`, without the promises of Kysely's way. */
export const runPreparedBy = (db: Db, run: RunOnCallingThread): void => void onCallingThread.set(db, run);

/** Runs a statement that is built already. */
export const executeText = <R>(
  db: Db,
  text: string,
  parameters: readonly unknown[],
): Promise<QueryResult<R>> => execute(db, CompiledQuery.raw(text, parameters as unknown[]));

async function execute<R>(db: Db, query: CompiledQuery): Promise<QueryResult<R>> {
  const run = onCallingThread.get(db);
  return run === undefined ? db.executeQuery<R>(query) : queryResultOf(run(query.sql, query.parameters));
}

/**
 * `build` runs once for each kind of database and each combination of lengths. It uses its arguments, and the items of
 * lists, only as values of the query.
 */
export function prepared<A extends readonly Argument[], R>(
  build: (db: Db, ...values: A) => Compilable<R>,
): (db: Db, ...values: A) => Promise<R[]> {
  const compile = createTemplates(build);
  return async (db, ...values) => {
    const query = compile(db, values);
    const run = onCallingThread.get(db);
    const { rows } = run === undefined ? await db.executeQuery(query) : run(query.sql, query.parameters);
    return rows as R[];
  };
}

/** The same for statements that write, in a transaction. */
export function preparedWrite<A extends readonly Argument[]>(
  build: (db: Db, ...values: A) => Compilable<unknown>,
): (tx: Db, ...values: A) => Promise<QueryResult<unknown>> {
  const compile = createTemplates(build);
  return async (tx, ...values) => execute(tx, compile(tx, values));
}

/** What `make` makes for a key, such as a dialect, once for each. There are few keys. */
export function oncePer<K, T>(
  make: (key: K) => T,
  nameOf: (key: K) => unknown = (key) => key,
): (key: K) => T {
  const made = new Map<unknown, T>();
  return (key) => {
    const name = nameOf(key);
    let one = made.get(name);
    if (one === undefined) made.set(name, (one = make(key)));
    return one;
  };
}

function createTemplates<A extends readonly Argument[]>(
  build: (db: Db, ...values: A) => Compilable<unknown>,
) {
  /** By the adapter of the kind of database. */
  const templates = new Map<unknown, Templates>();
  return (db: Db, values: A): CompiledQuery => {
    const kind = db.getExecutor().adapter.constructor;
    let known = templates.get(kind);
    if (known === undefined) templates.set(kind, (known = { short: new Map(), long: null }));
    let lengths = "";
    let isLong = false;
    for (const value of values) {
      if (!Array.isArray(value)) continue;
      isLong ||= value.length > MOST_ITEMS;
      lengths += `${value.length} `;
    }
    const template = (isLong ? longTemplate : shortTemplate)(known, lengths, () =>
      build(db, ...(values.map(standIn) as unknown as A)).compile(),
    );
    if (template === null) return build(db, ...values).compile();
    const parameters = template.parameters.map((parameter) => {
      if (!(parameter instanceof Parameter)) return parameter;
      const value = values[parameter.argument]!;
      return parameter.item === null ? value : (value as readonly Value[])[parameter.item];
    });
    return { ...template, parameters };
  };
}

type Templates = {
  /** By the lengths of the lists. */
  short: Map<string, CompiledQuery>;
  /** `template` is null until the lengths come twice in a row. */
  long: { lengths: string; template: CompiledQuery | null } | null;
};

function shortTemplate({ short }: Templates, lengths: string, make: () => CompiledQuery) {
  let template = short.get(lengths);
  if (template !== undefined) return template;
  if (short.size === MOST_TEMPLATES) return null;
  template = make();
  short.set(lengths, template);
  return template;
}

function longTemplate(known: Templates, lengths: string, make: () => CompiledQuery) {
  if (known.long?.lengths !== lengths) {
    known.long = { lengths, template: null };
    return null;
  }
  return (known.long.template ??= make());
}

const standIn = (value: Argument, argument: number): unknown =>
  Array.isArray(value)
    ? value.map((_, item) => new Parameter(argument, item))
    : new Parameter(argument, null);
