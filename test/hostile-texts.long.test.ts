/** Hostile texts on SQLite, MySQL and MariaDB. */
import "./support/long.ts";
import "./hostile-texts.test.ts";
