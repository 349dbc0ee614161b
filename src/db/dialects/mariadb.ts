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
};

export const openBackend = openMysqlBackend(mariadb);
