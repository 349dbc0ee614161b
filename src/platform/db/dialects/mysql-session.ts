/** One connection to MySQL or MariaDB: its options, its set-up, a statement, and the question whether it takes writes. */
import { type Connection, type ConnectionOptions, createConnection } from "mysql2";
import { appError } from "../../../lib/errors.ts";
import { throwTimeout, withTimeout } from "../../../lib/timeout.ts";
import type { Address, DatabaseLocation } from "../database-url.ts";
import { CONNECT_TIMEOUT_MS, type SqlConnection, type StatementResult } from "../driver.ts";
import { DatabaseError } from "../failures.ts";
import { ASK_TIMEOUT_MS, NotPrimary } from "../primary.ts";

export type SessionSyntax = {
  /** Names the server that was expected, for the message about another one. */
  expected: string;
  recognises(version: string): boolean;
  limitStatements(timeoutMs: number): string;
  /** A query for `refusal`: why the server takes no writes, or null. */
  role: string;
  /** Before a query: the server first applies what others of its cluster have confirmed. */
  caughtUp?: string;
};

/** Longer than an import's chunk holds its rows, shorter than a statement may take. */
const LOCK_WAIT_SECONDS = 20;
/** The bound of joinTexts. */
const LONGEST_GROUP = 1_048_576;
const SQL_MODE =
  "STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

export const optionsOf = (location: DatabaseLocation, { host, port }: Address): ConnectionOptions => ({
  ...(location.socket === undefined
    ? { host: host ?? "127.0.0.1", port: port ?? 3306 }
    : { socketPath: location.socket }),
  ...(location.user === undefined ? {} : { user: location.user }),
  ...(location.password === undefined ? {} : { password: location.password }),
  ...(location.tls === undefined ? {} : { ssl: location.tls }),
  connectTimeout: location.addresses.length > 1 ? ASK_TIMEOUT_MS : CONNECT_TIMEOUT_MS,
  charset: "utf8mb4_bin",
});

/** Returns the server's rank: among several that take writes, the first of the URL is the best. */
export async function askRole(
  location: DatabaseLocation,
  address: Address,
  words: SessionSyntax,
): Promise<number> {
  const client = createConnection(optionsOf(location, address));
  const { promise: failed, reject } = Promise.withResolvers<never>();
  client.on("error", reject);
  const asking = query(client, words.role, [], ASK_TIMEOUT_MS).then(({ rows }) => {
    assertWritable(rows[0]);
    return -location.addresses.indexOf(address);
  });
  try {
    return await withTimeout(ASK_TIMEOUT_MS, Promise.race([asking, failed]), throwTimeout);
  } finally {
    client.destroy();
  }
}

function assertWritable(row: unknown): void {
  const { refusal } = row as { refusal: string | null };
  if (refusal !== null) throw new NotPrimary(refusal);
}

export async function setUp(
  execute: SqlConnection["execute"],
  words: SessionSyntax,
  hasChoice: boolean,
): Promise<void> {
  const { rows } = await execute("select version() as version, @@auto_increment_increment as step", []);
  const { version, step } = rows[0] as { version: string; step: number };
  if (!words.recognises(version))
    throw appError(
      "ServiceUnavailable",
      `The database server says its version is ${version}: ${words.expected}`,
    );
  if (hasChoice) assertWritable((await execute(`${words.caughtUp ?? ""} ${words.role}`, [])).rows[0]);
  await execute("set session transaction isolation level read committed", []);
  const variables = [
    `sql_mode = '${SQL_MODE}'`,
    `innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`,
    `group_concat_max_len = ${LONGEST_GROUP}`,
  ];
  // Clusters leave gaps between ids for writers on other members. Ours are on one, and the change feed waits for gaps.
  if (hasChoice && step !== 1) variables.push("auto_increment_increment = 1", "auto_increment_offset = 1");
  await execute(`set session ${variables.join(", ")}`, []);
}

/** `running` gets what ends it with an error, until it has ended. */
export function query(
  raw: Connection,
  text: string,
  parameters: readonly unknown[],
  timeoutMs: number,
  running?: Set<(reason: Error) => void>,
): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      running?.delete(end);
    };
    // A destroyed connection never calls back.
    const end = (reason: Error) => {
      settle();
      raw.destroy();
      reject(reason);
    };
    // Nothing else ends a query whose server vanished.
    const late = () => end(new DatabaseError("timeout", new Error(`no answer within ${timeoutMs} ms`)));
    const timer = setTimeout(late, timeoutMs);
    timer.unref();
    running?.add(end);
    raw.query(text, parameters as unknown[], (error, result) => {
      settle();
      if (error !== null) return reject(error);
      if (Array.isArray(result)) return resolve({ rows: result });
      resolve({ rows: [], affected: result.affectedRows, insertId: result.insertId });
    });
  });
}
