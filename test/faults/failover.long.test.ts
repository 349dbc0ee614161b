import { expect, test } from "bun:test";
import { CLUSTERS, failOver } from "./failover.ts";

const HOUR_MS = 3_600_000;
const DATABASES = Object.keys(CLUSTERS) as (keyof typeof CLUSTERS)[];

// Debian's packages are unpacked as root.
for (const [database, redis] of [
  ...DATABASES.map((one) => [one, false] as const),
  ["postgres", true] as const,
])
  test.skipIf(process.getuid?.() !== 0)(
    `ten failovers of ${redis ? "Redis" : database}: links redirect, nothing answered is lost or doubled`,
    async () => {
      const { tried, lost } = await failOver({ database, redis, rounds: 10, pauseMs: 100 });
      console.log(JSON.stringify(tried));
      expect(lost).toEqual([]);
      expect(tried).toMatchObject({ rounds: 10, counted: tried.answered });
    },
    HOUR_MS,
  );
