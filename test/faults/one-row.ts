/** A row of the fault table as a test, without servers of its own. Skipped without a server that it needs. */
import { expect, test } from "bun:test";
import { type DialectName, SERVER_VARIABLES, serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { faults } from "./faults.ts";

/** Some tests of a file run at once, on a machine that may be slow. */
const BUSY_MS = 600_000;

export function testFault(name: string, database: DialectName, rounds: number): void {
  const rows = faults(() => {
    throw new Error("This row needs servers of its own.");
  });
  const missing = [
    ...(database === "sqlite" || serverUrl(database) !== undefined ? [] : [SERVER_VARIABLES[database]]),
    ...(process.env["WAYMARK_TEST_S3_URL"] ? [] : ["WAYMARK_TEST_S3_URL"]),
  ];
  const isSkipped = missing.length > 0 || process.platform !== "linux";
  const place = [database, missing.length > 0 && `${missing.join(", ")} not set`].filter(Boolean).join(", ");
  test.concurrent.skipIf(isSkipped)(
    `${name}: nothing is lost or doubled (${place})`,
    async () => {
      const row = rows.find((one) => one.name === name)!;
      const outcomes = await row.run({
        database,
        rounds,
        minutes: Infinity,
        isShort: true,
        say: () => {},
      });
      expect(outcomes.flatMap(({ lost, doubled }) => [...lost, ...doubled])).toEqual([]);
      expect(outcomes.map((outcome) => outcome.rounds)).toEqual(outcomes.map(() => rounds));
      expect(outcomes.filter(({ answered }) => answered === 0)).toEqual([]);
    },
    BUSY_MS,
  );
}
