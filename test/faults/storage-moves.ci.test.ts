import { expect, test } from "bun:test";
import { serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { moveUnderLoad } from "./storage-moves.ts";

test.skipIf(serverUrl("postgres") === undefined)(
  "content moves while two nodes are used and killed, and an S3 endpoint dies: no download fails",
  async () => {
    const load = { database: "postgres", files: 80, bytes: 4_000_000, kills: 2, rate: 300_000 } as const;
    const { lost, listed, kills, downloads, ranges } = await moveUnderLoad({
      ...load,
      from: "local",
      to: "s3",
    });
    expect({ lost, listed, kills }).toEqual({ lost: [], listed: 2, kills: 2 });
    expect(Math.min(downloads, ranges)).toBeGreaterThan(0);
  },
  300_000,
);
