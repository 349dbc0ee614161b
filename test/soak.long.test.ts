/** Minutes of use leave memory, descriptors and threads as they were. */
import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const MINUTES = 5;
const LIMIT_MS = (MINUTES + 2) * 60_000;

test(
  "memory, descriptors and threads do not grow in five minutes of use",
  async () => {
    const command = ["bin/bun", "bench/soak.ts", `${MINUTES}`];
    const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
    const [found, problems] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(await child.exited, found + problems).toBe(0);
  },
  LIMIT_MS,
);
