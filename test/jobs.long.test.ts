/** The eleven jobs of `npm run jobs`, each within its bound of keys and clicks. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { CHROMIUM } from "./support/chromium.ts";

test.skipIf(!CHROMIUM)("eleven jobs in the panel take no more keys and clicks than they should", async () => {
  const script = join(import.meta.dir, "../scripts/jobs.ts");
  const jobs = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: "inherit" });
  const [printed, exitCode] = [await new Response(jobs.stdout).text(), await jobs.exited];
  expect(exitCode === 0 ? "" : printed).toBe("");
});
