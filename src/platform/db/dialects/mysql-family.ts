import { MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler, sql } from "kysely";
import { assign, type BulkSyntax, createBulk } from "../bulk.ts";
import { insertThenId } from "../standard-syntax.ts";
import type { Dialect } from "../dialect.ts";
import type { SchemaSyntax } from "../schema-syntax.ts";
import type { OpenBackend, SqlFlavour } from "../driver.ts";
import { DatabaseError, type FailureKind, isNetworkFailure } from "../failures.ts";
import { PARTITIONED } from "../partitioned-tables.ts";
import type { ColumnKind } from "../column-kind.ts";
import { anyLike, likePatterns, SEARCHED_COLUMNS } from "../text-search.ts";
import { openPoolSource } from "./mysql-pool.ts";
import type { SessionSyntax } from "./mysql-session.ts";

export type MysqlVariant = SessionSyntax & {
  name: "mysql" | "mariadb";
  dumpTool: string;
  client: string;
  /** Folds case and distinguishes accents. */
  searchCollation: string;
};

const jsonType = (kind: ColumnKind): string =>
  kind.startsWith("text") ? "mediumtext character set utf8mb4 collate utf8mb4_bin" : "bigint";

const words: BulkSyntax = {
  parameters: (_columns, rows) => [JSON.stringify(rows)],
  values: (columns, [json]) => {
    const list = columns.map(
      ({ name, kind }, i) =>
        sql`${sql.ref(name)} ${sql.raw(jsonType(kind))} path ${sql.lit(`$[${i}]`)} null on empty error on error`,
    );
    return sql`json_table(${json}, '$[*]' columns (${sql.join(list)})) as v`;
  },
  onConflict: (table, keys, assignments) => {
    // Changes nothing; `insert ignore` would also hide values that don't fit.
    if (assignments.length === 0) return sql`on duplicate key update ${assignSelf(table, keys[0]!)}`;
    return sql`on duplicate key update ${sql.join(assignments.map((one) => assign(table, one, "v", true)))}`;
  },
  update: (table, key, assignments, values) => {
    const list = sql.join(assignments.map((one) => assign(table, one, "v", true)));
    return sql`update ${sql.table(table)} inner join ${values} on ${sql.ref(`${table}.${key}`)} = ${sql.ref(`v.${key}`)} set ${list}`;
  },
};

const assignSelf = (table: string, key: string) =>
  sql`${sql.ref(`${table}.${key}`)} = ${sql.ref(`${table}.${key}`)}`;

const TABLE_OPTIONS = "engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin";

const schema: SchemaSyntax = {
  serial: "bigint auto_increment primary key",
  int: "bigint",
  text: (length) => `varchar(${length})`,
  longText: "mediumtext",
  quote: (identifier) => `\`${identifier}\``,
  tableOptions: TABLE_OPTIONS,
  counterTableOptions: TABLE_OPTIONS,
  partitionedSerial: (column) => ["id bigint auto_increment", `primary key (id, ${column})`],
  partitionedTable: (table, columns) => [
    // MySQL keeps no partitions in a shared tablespace, which its server may prefer.
    `create table if not exists ${table} (${columns}) ${TABLE_OPTIONS} /*!80000 tablespace innodb_file_per_table */
      partition by range (${PARTITIONED[table].column}) (partition rest values less than (maxvalue))`,
  ],
  createIndex: async (db, { name, table, columns }) => {
    const { rows } = await sql`
      select 1 from information_schema.statistics
      where table_schema = database() and table_name = ${table} and index_name = ${name} limit 1`.execute(db);
    if (rows.length === 0)
      await sql`create index ${sql.ref(name)} on ${sql.table(table)} (${sql.raw(columns)})`.execute(db);
  },
  createLinkSearch: async () => {},
  createNameSearch: async () => {},
};

const folding = (family: MysqlVariant) => (column: string) =>
  sql`${sql.ref(column)} collate ${sql.raw(family.searchCollation)}`;

const familyDialect = (family: MysqlVariant): Dialect => ({
  name: family.name,
  ...createBulk(words),
  linkContains: (needle) => anyLike(SEARCHED_COLUMNS.map(folding(family)), likePatterns(needle)),
  nameContains: (needle) => anyLike([folding(family)("entries.name")], likePatterns(needle)),
  hasFewNames: async () => false,
  withoutEndNumber: (column) => sql`regexp_replace(${sql.ref(column)}, '[0-9]+$', '')`,
  hasOneWriter: false,
  sharesScans: false,
  sortedUnions: "copied",
  refreshStatistics: async () => {},
  linkCandidates: () => null,
  indexLinkTexts: null,
  sum: (column) => sql`sum(${sql.ref(column)})`,
  joinMany: (db, ask) => ask(db),
  scanned: (column) => sql`${sql.ref(column)}`,
  joinTexts: (column, separator = " ") =>
    sql`group_concat(${sql.ref(column)} separator ${separator === " " ? sql`' '` : sql`'\n'`})`,
  insertReturningId: insertThenId,
  forUpdate: (query) => query.forUpdate() as typeof query,
  // Both servers know this form.
  forShare: (query) => query.modifyEnd(sql`lock in share mode`) as typeof query,
  now: () => sql`cast(unix_timestamp(now(3)) * 1000 as signed)`,
  snapshot: null,
  findDamage: null,
  dumpAdvice: `${family.dumpTool} --single-transaction --routines NAME > waymark.sql; back: ${family.client} NAME < waymark.sql`,
  schema,
  classify,
});

const BY_NUMBER: Record<number, FailureKind> = {
  1062: "unique",
  1451: "foreign_key",
  1452: "foreign_key",
  1205: "retry", // lock wait timeout
  1213: "retry", // deadlock
  1467: "retry", // auto-increment value not read: the row lock was not given
  1317: "timeout", // query interrupted
  1969: "timeout", // max_statement_time
  3024: "timeout", // max_execution_time
  1021: "full",
  1114: "full",
  3101: "retry", // rolled back at the commit: the group has another change of these rows
  1020: "retry", // record changed since last read (MariaDB's snapshot isolation)
};
/** Too many connections, refused, no such database, read-only, shutting down, out of its cluster, no commit. */
const UNAVAILABLE = new Set([
  1040, 1044, 1045, 1047, 1049, 1053, 1030, 1129, 1130, 1180, 1203, 1226, 1290, 1836, 1927, 3032, 3100, 3159,
  3169,
]);

function classify(error: unknown): FailureKind {
  const {
    errno = 0,
    code = "",
    fatal = false,
  } = (error ?? {}) as { errno?: number; code?: string; fatal?: boolean };
  const known = BY_NUMBER[errno];
  if (known !== undefined) return known;
  if (UNAVAILABLE.has(errno) || fatal || isNetworkFailure(error)) return "unavailable";
  if (/^(PROTOCOL_|HANDSHAKE_|POOL_)/.test(code)) return "unavailable";
  const message = error instanceof Error ? error.message : "";
  return /pool is closed|closed state|connection is (in )?closed/i.test(message) ? "unavailable" : "other";
}

/** Lock names belong to the server, so ours contain the database's name. */
class Adapter extends MysqlAdapter {
  override async acquireMigrationLock(db: Parameters<MysqlAdapter["acquireMigrationLock"]>[0]) {
    const { rows } = await sql<{
      got: number | null;
    }>`select get_lock(${LOCK_NAME}, ${LOCK_SECONDS}) as got`.execute(db);
    if (rows[0]?.got !== 1)
      throw new DatabaseError("timeout", new Error("the migration lock is held by another process"));
  }
  override async releaseMigrationLock(db: Parameters<MysqlAdapter["acquireMigrationLock"]>[0]) {
    await sql`select release_lock(${LOCK_NAME})`.execute(db);
  }
}
const LOCK_NAME = sql`concat('waymark/', left(sha2(database(), 256), 20))`;
const LOCK_SECONDS = sql.lit(300);

const flavour: SqlFlavour = {
  adapter: () => new Adapter(),
  compiler: () => new MysqlQueryCompiler(),
  introspector: (db) => new MysqlIntrospector(db),
};

export const openMysqlBackend =
  (family: MysqlVariant): OpenBackend =>
  async ({ location, poolSize }) => {
    const { source, close } = openPoolSource(location, poolSize, family);
    return {
      dialect: familyDialect(family),
      flavour,
      writer: source,
      reader: source,
      pingSql: "select 1",
      close,
    };
  };
