import { testFaults } from "../support/fault-test.ts";
import { killDuringUploads } from "./uploads-kill.ts";

testFaults(
  "SIGKILL and SIGTERM during uploads: every answered file is whole, every resumable upload continues",
  killDuringUploads,
  { rounds: 8, database: "postgres", storage: "s3" },
);
