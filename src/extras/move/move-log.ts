/**
 * The log of a move: triggers write the primary key of each changed row into one table, whoever changes it. Renaming
 * that table closes the database: the statement waits for transactions that wrote to the log, and later ones fail
 * (`isMoving` in failures.ts), while reads continue.
 */
import { type RawBuilder, sql } from "kysely";
import { appError } from "../../lib/errors.ts";
import { alter } from "../../platform/db/alter.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { serverMessage } from "../../platform/db/failures.ts";
import { currentSchema, hasLog, LOG, logsOf } from "../../platform/db/move-switch.ts";
import type { Key, MovedTable } from "./move-tables.ts";

const PAGE_ROWS = 1_000;

type References = readonly { table: string; column: string; parent: string }[];
type Statement = { name: string; text: string };

const PROBE = "waymark_move_probe";

/** Makes a trigger that does nothing, and removes it. @throws BadRequest if the account may not */
export async function refuseWithoutTriggers(source: Database): Promise<void> {
  const { dialect, name } = source;
  if (dialect.name !== "mysql" && dialect.name !== "mariadb") return;
  try {
    await alter(source, `drop trigger if exists ${PROBE}`);
    await alter(source, `create trigger ${PROBE} after insert on instance for each row set @waymark = 1`);
    await alter(source, `drop trigger ${PROBE}`);
  } catch (error) {
    if (!/denied|privilege/i.test(serverMessage(error))) throw error;
    const advice = /log_bin/.test(serverMessage(error))
      ? "Its binary log is on: run 'SET GLOBAL log_bin_trust_function_creators = 1' on it until the move ends, or give the account SUPER."
      : "Grant it TRIGGER.";
    throw appError(
      "BadRequest",
      `The account of ${name} may not create triggers, which a move needs. ${advice} Nothing was changed.`,
      { cause: error },
    );
  }
}

/** Repeatable until the log is used. */
export async function openLog(source: Database, tables: readonly MovedTable[]): Promise<void> {
  const { slow, dialect } = source;
  const { schema, name } = dialect;
  if (await hasLog(source)) await removeLog(source, tables);
  await sql`create table ${sql.table(LOG)} (
    n ${sql.raw(schema.serial)}, name ${sql.raw(schema.text(64))} not null, k ${sql.raw(schema.longText)} not null
  ) ${sql.raw(schema.tableOptions)}`.execute(slow);
  await schema.createIndex(slow as never, { name: `${LOG}_name`, table: LOG as never, columns: "name, n" });
  const references = name === "mysql" || name === "mariadb" ? await cascades(slow, name) : [];
  for (const table of tables)
    for (const { text } of triggersOf(dialect, table, tables, references))
      if (text !== "") await alter(source, text);
}

/** Also opens a closed database again. */
export async function removeLog(source: Database, tables: readonly MovedTable[]): Promise<void> {
  const { name } = source.dialect;
  for (const table of tables)
    for (const trigger of triggersOf(source.dialect, table, tables, []).map((one) => one.name)) {
      const place = name === "postgres" ? ` on ${table.name}` : "";
      await alter(source, `drop trigger if exists ${trigger}${place}`);
      if (name === "postgres") await alter(source, `drop function if exists ${trigger}()`);
    }
  for (const log of await logsOf(source)) await alter(source, `drop table ${log}`);
}

/** Numbers of logged changes by table. */
export async function countLogged(db: Db, log: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; n: number }>`
    select name, count(*) as n from ${sql.table(log)} group by name`.execute(db);
  return new Map(rows.map(({ name, n }) => [name, n]));
}

export type Logged = { numbers: number[]; keys: Key[] };

/** Reads the noted changes in pages with distinct keys. */
export async function* loggedKeys(db: Db, log: string, table: string): AsyncGenerator<Logged> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ n: number; k: string }>`
      select n, k from ${sql.table(log)} where name = ${table} and n > ${after}
      order by n limit ${sql.lit(PAGE_ROWS)}`.execute(db);
    if (rows.length === 0) return;
    after = rows.at(-1)!.n;
    const keys = [...new Set(rows.map(({ k }) => k))].map((text) => JSON.parse(text) as Key);
    yield { numbers: rows.map(({ n }) => n), keys };
    if (rows.length < PAGE_ROWS) return;
  }
}

export const forgetLogged = async (
  source: Database,
  log: string,
  numbers: readonly number[],
): Promise<void> =>
  void (await sql`delete from ${sql.table(log)} where n in (${sql.join(numbers)})`.execute(source.write));

/** A text is empty where the table needs no such trigger. */
function triggersOf(
  { name: dialect, schema: { quote } }: Dialect,
  table: MovedTable,
  tables: readonly MovedTable[],
  references: References,
): Statement[] {
  const list = (row: string, keys = table.keys) => keys.map((key) => row + quote(key)).join(", ");
  const [created, gone] = [list("new."), list("old.")];
  const mayChange = table.keys.join() !== "id";
  if (dialect === "postgres") return [postgresTrigger(table.name, { created, gone, mayChange })];
  const named = (event: string) => `waymark_move_${table.name}_${event}`;
  const note = (name: string, values: string) =>
    `insert into ${LOG} (name, k) select '${name}', json_array(${values}) from `;
  const one = dialect === "sqlite" ? "(select 1)" : "dual";
  const same = table.keys.map(
    (key) => `old.${quote(key)} ${dialect === "sqlite" ? "is" : "<=>"} new.${quote(key)}`,
  );
  const added = `${note(table.name, created)}${one};`;
  const former = mayChange ? ` ${note(table.name, gone)}${one} where not (${same.join(" and ")});` : "";
  const trigger = (when: string, event: string, body: string) =>
    `create trigger ${named(when === "after" ? event : "cascade")} ${when} ${event} on ${quote(table.name)} for each row begin ${body} end`;
  const triggers = [
    { name: named("insert"), text: trigger("after", "insert", added) },
    { name: named("update"), text: trigger("after", "update", added + former) },
    { name: named("delete"), text: trigger("after", "delete", `${note(table.name, gone)}${one};`) },
  ];
  if (dialect === "sqlite") return triggers;
  // These servers remove the rows that refer to one without calling triggers.
  const children = references.flatMap(({ table: child, column, parent }) => {
    const keys = tables.find(({ name }) => name === child)?.keys;
    if (parent !== table.name || keys === undefined) return [];
    return `${note(child, list("", keys))}${quote(child)} where ${quote(column)} = old.id;`;
  });
  const text = children.length === 0 ? "" : trigger("before", "delete", children.join(" "));
  return [...triggers, { name: named("cascade"), text }];
}

function postgresTrigger(
  table: string,
  { created, gone, mayChange }: { created: string; gone: string; mayChange: boolean },
): Statement {
  const name = `waymark_move_${table}`;
  const add = (values: string) =>
    `insert into ${LOG} (name, k) values ('${table}', json_build_array(${values})::text);`;
  const former = mayChange
    ? ` if tg_op = 'UPDATE' then if row(${gone}) is distinct from row(${created}) then ${add(gone)} end if; end if;`
    : "";
  const body = `if tg_op = 'DELETE' then ${add(gone)} else ${add(created)} end if;${former} return null;`;
  return {
    name,
    text: `create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$;
      create trigger ${name} after insert or update or delete on ${table} for each row execute function ${name}()`,
  };
}

async function cascades(db: Db, dialect: Dialect["name"]): Promise<References> {
  const found: RawBuilder<References[number]> = sql`
    select table_name as ${sql.ref("table")}, column_name as ${sql.ref("column")}, referenced_table_name as parent
    from information_schema.key_column_usage
    where table_schema = ${currentSchema(dialect)} and referenced_table_name is not null`;
  return (await found.execute(db)).rows;
}
