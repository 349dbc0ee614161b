/** Nodes on MySQL and MariaDB. */
import "./support/long.ts";
import "./nodes.test.ts";
