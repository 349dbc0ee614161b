import { expect, test } from "bun:test";
import { serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { moveUnderLoad } from "./storage-moves.ts";

const GIB = 1024 ** 3;

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

test.skipIf(serverUrl("postgres") === undefined)(
  "20,000 files and 2 GiB move to S3 under load and ten kills",
  async () => {
    const load = { database: "postgres", files: 20_000, bytes: 2 * GIB, kills: 10, rate: 0 } as const;
    const { lost, listed } = await moveUnderLoad({ ...load, from: "local", to: "s3" });
    expect({ lost, listed }).toEqual({ lost: [], listed: 2 });
  },
  3_600_000,
);

test.each([
  ["s3", "local"],
  ["local", "local"],
  ["s3", "s3"],
] as const)(
  "from %s to %s on SQLite",
  async (from, to) => {
    const load = { database: "sqlite", files: 500, bytes: 50_000_000, kills: 4, rate: 2_000_000 } as const;
    const { lost } = await moveUnderLoad({ ...load, from, to });
    expect(lost).toEqual([]);
  },
  900_000,
);
