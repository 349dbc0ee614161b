/** MariaDB 10.10 and later. */
import { type MysqlVariant, openMysqlBackend } from "./mysql-family.ts";

const WSREP = "select variable_value from information_schema.global_status where variable_name = 'wsrep";

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
  // All members of Galera take writes, and locks of rows hold on one only: a new process joins the others, on the member
  // that has most of their sessions.
  caughtUp: "set statement wsrep_sync_wait = 1 for",
  role: `select case when @@global.read_only then 'it is read-only'
        when (${WSREP}_provider_name') <> '' and (${WSREP}_ready') <> 'ON' then 'it is not in the Galera cluster'
      end as refusal,
      (select count(*) from information_schema.processlist where db = ?
        and user = substring_index(user(), '@', 1)) * ((${WSREP}_provider_name') <> '') as term`,
};

export const openBackend = openMysqlBackend(mariadb);
