/** Who was here is gone on MySQL and MariaDB. */
import "../support/long.ts";
import "./privacy.ci.test.ts";
