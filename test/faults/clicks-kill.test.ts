import { describe, expect, test } from "bun:test";
import { createFresh, DIALECT_NAMES, SERVER_VARIABLES, serverUrl } from "../../src/db/fresh.test-support.ts";
import { killUnderLoad } from "./clicks-kill.ts";

for (const name of DIALECT_NAMES) {
  const isMissing = name !== "sqlite" && serverUrl(name) === undefined;
  const reason = isMissing ? ` (${SERVER_VARIABLES[name as keyof typeof SERVER_VARIABLES]} is not set)` : "";
  describe.skipIf(isMissing || process.platform !== "linux")(`${name}${reason}`, () => {
    test("SIGKILL and SIGTERM of supervisor and workers under load: every answered redirect is counted, none twice", async () => {
      const fresh = await createFresh(name);
      try {
        const { wrong, answered, counted, sent } = await killUnderLoad({
          rounds: 4,
          workers: 2,
          databaseUrl: fresh.url,
        });
        expect(wrong).toEqual([]);
        expect(answered).toBeGreaterThan(0);
        expect(counted).toBeGreaterThanOrEqual(answered);
        expect(counted).toBeLessThanOrEqual(sent);
      } finally {
        await fresh.drop();
      }
    });
  });
}
