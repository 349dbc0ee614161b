import { testFaults } from "../support/fault-test.ts";
import { killDuringUploads } from "./uploads-kill.ts";

for (const place of [
  { database: "sqlite", storage: "local" },
  { database: "postgres", storage: "s3" },
] as const) {
  testFaults(
    "SIGKILL and SIGTERM during uploads: every answered file is whole, every resumable upload continues",
    killDuringUploads,
    { rounds: 4, ...place },
  );
}
