import "./support/long.ts";
import "../src/db/move.test.ts";
