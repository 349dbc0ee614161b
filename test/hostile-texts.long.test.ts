/** Hostile texts on SQLite, MySQL and MariaDB. */
import "./support/long.ts";
import "./hostile-texts.ci.test.ts";
