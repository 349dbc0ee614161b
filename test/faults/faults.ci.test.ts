/** The rows of the fault table that need no servers of their own. */
import { KILLS, OUTAGES } from "./faults.ts";
import { testFault } from "./one-row.ts";

testFault(KILLS, "sqlite", 4);
testFault(OUTAGES, "postgres", 2);
