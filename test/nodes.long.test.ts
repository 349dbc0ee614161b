/** Nodes on MySQL and MariaDB. */
import "./support/long.ts";
import "./nodes.ci.test.ts";
