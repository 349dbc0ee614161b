/** Every step of crash.test.ts, and what differs on PostgreSQL. */
import "../../../test/support/long.ts";
import "./crash.test.ts";
