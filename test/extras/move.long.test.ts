import "../support/long.ts";
import "../../src/extras/move/move.test.ts";
import "./move.ci.test.ts";
