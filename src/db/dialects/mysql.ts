/** MySQL 8.0 and later. */
import { type MysqlVariant, openMysqlBackend } from "./mysql-family.ts";
import { readOnly } from "./mysql-pool.ts";

const mysql: MysqlVariant = {
  name: "mysql",
  dumpTool: "mysqldump",
  client: "mysql",
  searchCollation: "utf8mb4_0900_as_ci",
  expected: "write mariadb:// for MariaDB, or use MySQL 8.0 or later.",
  recognises: (version) => !version.includes("MariaDB") && Number.parseInt(version, 10) >= 8,
  limitStatements: (timeoutMs) => `max_execution_time = ${timeoutMs}`,
  // Group replication makes all members but the primary read-only, also those that left.
  async assertWritable(execute) {
    const { rows } = await execute("select @@global.read_only as isReadOnly", []);
    if (Number((rows[0] as { isReadOnly: unknown }).isReadOnly) !== 0) throw readOnly();
  },
  countSessions: async () => 0,
};

export const openBackend = openMysqlBackend(mysql);
