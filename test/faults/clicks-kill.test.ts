import { testFaults } from "../support/fault-test.ts";
import { killUnderLoad } from "./clicks-kill.ts";

for (const [database, rounds] of [
  ["sqlite", 4],
  ["postgres", 2],
] as const) {
  testFaults(
    "SIGKILL and SIGTERM of supervisor and workers under load: every answered redirect is counted, none twice",
    killUnderLoad,
    { rounds, workers: 2, pauseMs: 5, database },
  );
}
