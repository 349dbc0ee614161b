/** The rows that need no servers of their own. */
import { KILLS, OUTAGES } from "./faults.ts";
import { testFault } from "./one-row.ts";

testFault(KILLS, "sqlite", 4);
testFault(KILLS, "postgres", 8);
testFault(OUTAGES, "postgres", 4);
for (const database of ["mysql", "mariadb"] as const) {
  testFault(KILLS, database, 4);
  testFault(OUTAGES, database, 4);
}
