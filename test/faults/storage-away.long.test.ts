import { testFaults } from "../support/fault-test.ts";
import { takeStorageAway } from "./storage-away.ts";

testFaults(
  "an S3 endpoint that dies or hangs: answered files are there, and it is used again",
  takeStorageAway,
  {
    rounds: 10,
    database: "postgres",
    storage: "s3",
  },
);
