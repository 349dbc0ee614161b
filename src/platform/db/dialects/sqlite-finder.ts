/**
 * The lookup of redirects and prepared queries (prepared.ts), on the calling thread, opened on demand. Those of one turn
 * of the event loop share a read transaction, because each takes two locks. The file is not mapped: SQLite unmaps all of it
 * whenever another connection has written, which held the loop for 25 ms with ten million links.
 */
import type { LinkRow } from "../dialect.ts";
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

export function createFinder(path: string, classify: (error: unknown) => FailureKind) {
  let connection: SqliteConnection | undefined;
  let opened = 0;
  let isReading = false;
  let closed = false;

  function connect(): SqliteConnection {
    if (closed) throw Object.assign(new Error("the database was closed"), { code: "SQLITE_CANTOPEN" });
    if (connection === undefined) {
      connection = openSqlite({ ...SETTINGS, path });
      opened++;
    }
    return connection;
  }

  function begin(): SqliteConnection {
    const begun = connect();
    if (!isReading) {
      begun.executeSync("begin", []);
      isReading = true;
      setImmediate(refresh);
    }
    return begun;
  }

  function refresh(): void {
    if (!isReading) return;
    isReading = false;
    try {
      connection?.executeSync("commit", []);
    } catch {
      // A failed read may have ended the transaction.
      disconnect();
    }
  }

  function disconnect(): void {
    isReading = false;
    connection?.close();
    connection = undefined;
  }

  function reading<T>(read: (connection: SqliteConnection) => T): T {
    try {
      return read(begin());
    } catch (error) {
      refresh();
      throw translateFailure({ classify }, error);
    }
  }

  return {
    find: (code: string): LinkRow | undefined =>
      reading((begun) => begun.firstSync(FIND_LINK, code) as LinkRow | undefined),
    /** The rows of a query that reads few. */
    all: (text: string, parameters: readonly unknown[]): unknown[] =>
      reading((begun) => begun.executeSync(text, parameters).rows),
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
