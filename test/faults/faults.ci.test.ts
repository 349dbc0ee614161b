/** A row of the fault table that needs no servers. The long suite has the others. */
import { KILLS } from "./faults.ts";
import { testFault } from "./one-row.ts";

testFault(KILLS, "sqlite", 2);
