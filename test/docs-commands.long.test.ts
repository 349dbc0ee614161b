/** The commands of all documents but the README. */
import "./support/long.ts";
import "./docs-commands.ci.test.ts";
