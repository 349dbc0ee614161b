import "../support/long.ts";
import "../../src/extras/move/move.test.ts";
import "./move.test.ts";
