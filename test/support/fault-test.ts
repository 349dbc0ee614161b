/** A short run of a script in test/faults/ as a test. Without a server that it needs it is skipped, and says which. */
import { expect, test } from "bun:test";
import { type FaultOptions, type FaultResult, missingVariable } from "./fault-script.ts";

/** The tests of a file run at once, since they wait most of the time. One takes 30 to 80 seconds on a busy machine. */
const BUSY_MS = 360_000;

export function testFaults(
  title: string,
  run: (options: FaultOptions) => Promise<FaultResult>,
  options: FaultOptions,
): void {
  const missing = missingVariable(options);
  const place = [options.database, options.storage, missing && `${missing} is not set`].filter(Boolean);
  const name = `${title} (${place.join(", ")})`;
  const isSkipped = missing !== null || process.platform !== "linux";
  const check = async () => {
    const { tried, lost } = await run(options);
    expect(lost).toEqual([]);
    expect(tried.rounds).toBe(options.rounds);
    expect(tried.answered).toBeGreaterThan(0);
  };
  test.concurrent.skipIf(isSkipped)(name, check, BUSY_MS);
}
