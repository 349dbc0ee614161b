/** MariaDB 10.10 and later. */
import { type MysqlVariant, openMysqlBackend } from "./mysql-family.ts";

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
  // All members of Galera take writes, and locks of rows hold on one only, so all processes use the first of the URL.
  caughtUp: "set statement wsrep_sync_wait = 1 for",
  role: `select case when @@global.read_only then 'it is read-only'
      when @@global.wsrep_provider <> 'none' and (select variable_value from information_schema.global_status
        where variable_name = 'wsrep_ready') <> 'ON' then 'it is not in the Galera cluster'
    end as refusal`,
};

export const openBackend = openMysqlBackend(mariadb);
