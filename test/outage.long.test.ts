/** Outages of MySQL and MariaDB. */
import "./support/long.ts";
import "./outage.ci.test.ts";
