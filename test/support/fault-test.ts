/** A short run of a script in test/faults/ as a test. Without a server that it needs it is skipped, and says which. */
import { expect, test } from "bun:test";
import { type FaultOptions, type FaultResult, missingVariable } from "./fault-script.ts";

export function testFaults(
  title: string,
  run: (options: FaultOptions) => Promise<FaultResult>,
  options: FaultOptions,
): void {
  const missing = missingVariable(options);
  const place = [options.database, options.storage, missing && `${missing} is not set`].filter(Boolean);
  test.skipIf(missing !== null || process.platform !== "linux")(
    `${title} (${place.join(", ")})`,
    async () => {
      const { tried, lost } = await run(options);
      expect(lost).toEqual([]);
      expect(tried.rounds).toBe(options.rounds);
      expect(tried.answered).toBeGreaterThan(0);
    },
  );
}
