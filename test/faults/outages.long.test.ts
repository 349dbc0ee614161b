import { testFaults } from "../support/fault-test.ts";
import { takeDatabaseAway } from "./outages.ts";

for (const database of ["mysql", "mariadb"] as const) {
  testFaults(
    "outages, refused and hanging: known links redirect, every answered change, click and file is there",
    takeDatabaseAway,
    { rounds: 2, workers: 1, pauseMs: 100, database, storage: "local" },
  );
}
