/** What ends with the right to it, on two nodes too. */
import "./support/long.ts";
import "./live-ends.ci.test.ts";
