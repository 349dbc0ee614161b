/** Hostile texts on MySQL and MariaDB. */
import "./support/long.ts";
import "./hostile-texts.test.ts";
