/** Jobs after outages of MySQL and MariaDB. */
import "./support/long.ts";
import "./jobs-after-outage.ci.test.ts";
