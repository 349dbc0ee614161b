/** MySQL 8.0 and later. */
import { type MysqlVariant, openMysqlBackend } from "./mysql-family.ts";

const mysql: MysqlVariant = {
  name: "mysql",
  dumpTool: "mysqldump",
  client: "mysql",
  searchCollation: "utf8mb4_0900_as_ci",
  expected: "write mariadb:// for MariaDB, or use MySQL 8.0 or later.",
  recognises: (version) => !version.includes("MariaDB") && Number.parseInt(version, 10) >= 8,
  limitStatements: (timeoutMs) => `max_execution_time = ${timeoutMs}`,
  // Group replication makes all members but the primary read-only.
  role: "select if(@@global.read_only, 'it is read-only', null) as refusal",
};

export const openBackend = openMysqlBackend(mysql);
