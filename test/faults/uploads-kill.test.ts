import { testFaults } from "../support/fault-test.ts";
import { killDuringUploads } from "./uploads-kill.ts";

for (const place of [
  { database: "sqlite", storage: "local", rounds: 4 },
  { database: "postgres", storage: "s3", rounds: 2 },
] as const) {
  testFaults(
    "SIGKILL and SIGTERM during uploads: every answered file is whole, every resumable upload continues",
    killDuringUploads,
    place,
  );
}
