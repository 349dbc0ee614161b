/** Killed uploads on MySQL and MariaDB, and a node that is paused for half a minute. */
import "./support/long.ts";
import "./upload-kill.test.ts";
