/** Restores in place that are killed at every step, too. */
import "../support/long.ts";
import "./upkeep.ci.test.ts";
