/** What of crash.test.ts differs on PostgreSQL. */
import "../../../test/support/long.ts";
import "./crash.test.ts";
