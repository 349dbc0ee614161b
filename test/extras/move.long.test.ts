import "../support/long.ts";
import "../../src/extras/move/move.ci.test.ts";
import "./move.ci.test.ts";
