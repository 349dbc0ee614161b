import { expect, test } from "bun:test";
import { CLUSTERS, failOver } from "./failover.ts";

const HOUR_MS = 3_600_000;

// Debian's packages are unpacked as root.
for (const database of Object.keys(CLUSTERS) as (keyof typeof CLUSTERS)[])
  test.skipIf(process.getuid?.() !== 0)(
    `ten failovers of ${database}: links redirect, nothing answered is lost or doubled`,
    async () => {
      const { tried, lost } = await failOver({ database, rounds: 10, pauseMs: 100 });
      console.log(JSON.stringify(tried));
      expect(lost).toEqual([]);
      expect(tried).toMatchObject({ rounds: 10, counted: tried.answered });
    },
    HOUR_MS,
  );
