import { testFaults } from "../support/fault-test.ts";
import { killUnderLoad } from "./clicks-kill.ts";

for (const database of ["postgres", "mysql", "mariadb"] as const) {
  testFaults(
    "SIGKILL and SIGTERM of supervisor and workers under load: every answered redirect is counted, none twice",
    killUnderLoad,
    { rounds: 4, workers: 2, pauseMs: 5, database },
  );
}
