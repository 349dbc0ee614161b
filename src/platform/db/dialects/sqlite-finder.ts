/**
 * The lookup of redirects and prepared queries (prepared.ts), on the calling thread, opened on demand. Those of one turn
 * of the event loop share a read transaction, because each takes two locks. The file is not mapped: SQLite unmaps all of it
 * whenever another connection has written, which held the loop for 25 ms with ten million links.
 */
import type { LinkRow } from "../dialect.ts";
import type { StatementResult } from "../driver.ts";
import { type FailureKind, translateFailure } from "../failures.ts";
import { openSqlite, type SqliteConnection, type SqliteSettings } from "./sqlite-connection.ts";

/**
 * Waits block redirects; readers wait only for recovery. The cache holds the inner pages of both trees of ten million
 * links, so a lookup reads two pages instead of four.
 */
const SETTINGS: Omit<SqliteSettings, "path"> = {
  readonly: true,
  busyTimeoutMs: 250,
  cacheKib: 16_384,
};
const COLUMNS = "id, code, target, expires_at, options, password_hash is not null as locked";
/**
 * One statement, so that a rename between two can't hide the link. With a join, SQLite would prepare it again for each
 * code: 10 µs.
 */
const FIND_LINK = `select ${COLUMNS} from links
  where id = coalesce((select id from links where code = ?1), (select link_id from link_aliases where code = ?1))`;

/**
 * @param writing the connection on this thread that writes, while it does not: its cache survives its own commits, which
 * empty those of others
 */
export function createFinder(
  path: string,
  classify: (error: unknown) => FailureKind,
  writing: () => SqliteConnection | undefined,
) {
  let connection: SqliteConnection | undefined;
  let opened = 0;
  /** Has the read transaction of this turn. */
  let reader: SqliteConnection | undefined;
  let closed = false;

  function connect(): SqliteConnection {
    if (closed) throw Object.assign(new Error("the database was closed"), { code: "SQLITE_CANTOPEN" });
    if (connection === undefined) {
      connection = openSqlite({ ...SETTINGS, path });
      opened++;
    }
    return connection;
  }

  function begin(from: SqliteConnection): SqliteConnection {
    from.executeSync("begin", []);
    reader = from;
    setImmediate(refresh);
    return from;
  }

  function refresh(): void {
    const ended = reader;
    reader = undefined;
    try {
      ended?.executeSync("commit", []);
    } catch {
      // A failed read may have ended the transaction.
      if (ended === connection) disconnect();
    }
  }

  function disconnect(): void {
    reader = undefined;
    connection?.close();
    connection = undefined;
  }

  function reading<T>(read: (from: SqliteConnection) => T): T {
    const writer = reader === undefined ? writing() : undefined;
    try {
      return read(reader ?? begin(writer ?? connect()));
    } catch (error) {
      refresh();
      // It waits for no lock, unlike the own connection.
      if (writer !== undefined && classify(error) === "unavailable") return read(begin(connect()));
      throw translateFailure({ classify }, error);
    }
  }

  return {
    find: (code: string): LinkRow | undefined =>
      reading((from) => from.firstSync(FIND_LINK, code) as LinkRow | undefined),
    /** The rows of a query that reads few. */
    all: (text: string, parameters: readonly unknown[]): StatementResult =>
      reading((from) => from.executeSync(text, parameters)),
    /** See Database. Takes two microseconds. */
    commits(): number {
      refresh();
      try {
        const { data_version: version } = connect().firstSync("pragma data_version") as {
          data_version: number;
        };
        // Each connection counts anew.
        return opened * 2 ** 32 + version;
      } catch (error) {
        throw translateFailure({ classify }, error);
      }
    },
    /** The next lookup sees every change committed before this call. */
    refresh,
    close(): void {
      closed = true;
      disconnect();
    },
  };
}
