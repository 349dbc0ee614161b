/** MariaDB 10.10 and later. */
import { type MysqlVariant, openMysqlBackend } from "./mysql-family.ts";
import { DatabaseError } from "../failures.ts";
import { readOnly } from "./mysql-pool.ts";

const STATUS = "select variable_value from information_schema.global_status where variable_name =";
const ROLE = `select @@global.read_only as isReadOnly, coalesce((${STATUS} 'wsrep_provider_name'), '') as galera,
  (${STATUS} 'wsrep_ready') as isReady`;
const SESSIONS = `select count(*) as sessions from information_schema.processlist
  where db = ? and user = substring_index(user(), '@', 1)`;

const mariadb: MysqlVariant = {
  name: "mariadb",
  dumpTool: "mariadb-dump",
  client: "mariadb",
  searchCollation: "utf8mb4_uca1400_as_ci",
  expected: "write mysql:// for MySQL, or use MariaDB 10.10 or later.",
  recognises: (version) => {
    const [major = 0, minor = 0] = version
      .replace(/^5\.5\.5-/, "")
      .split(".")
      .map(Number.parseFloat);
    return version.includes("MariaDB") && major * 100 + minor >= 1010;
  },
  limitStatements: (timeoutMs) => `max_statement_time = ${timeoutMs / 1000}`,
  async assertWritable(execute, caughtUp) {
    const { rows } = await execute(ROLE, []);
    const { isReadOnly, galera, isReady } = rows[0] as { isReadOnly: number; galera: string; isReady: string };
    if (Number(isReadOnly) !== 0) throw readOnly();
    if (galera === "") return;
    if (isReady !== "ON") throw new DatabaseError("unavailable", new Error("it is not in the Galera cluster"));
    if (!caughtUp) return;
    await execute("set session wsrep_sync_wait = 1", []);
    await execute("select 1", []);
    await execute("set session wsrep_sync_wait = 0", []);
  },
  // Locks of rows hold on one member of Galera only, so a new process joins the others.
  async countSessions(execute, database) {
    const { rows } = await execute(SESSIONS, [database]);
    return Number((rows[0] as { sessions: unknown }).sessions);
  },
};

export const openBackend = openMysqlBackend(mariadb);
