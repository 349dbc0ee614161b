import "./support/long.ts";
import "../src/db/move.test.ts";
import "./move.test.ts";
