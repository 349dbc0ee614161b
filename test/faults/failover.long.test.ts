import { expect, test } from "bun:test";
import { CLUSTERS, failOver } from "./failover.ts";

const HOUR_MS = 3_600_000;

// Debian's packages are unpacked as root.
for (const name of CLUSTERS)
  test.skipIf(process.getuid?.() !== 0)(
    `ten failovers of ${name}: links redirect, nothing answered is lost or doubled`,
    async () => {
      const { tried, lost } = await failOver(name, { rounds: 10 });
      console.log(JSON.stringify(tried));
      expect(lost).toEqual([]);
      expect(tried).toMatchObject({ rounds: 10, counted: tried.answered });
    },
    HOUR_MS,
  );
