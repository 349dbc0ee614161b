/** Requests that the OpenAPI document forbids, made by schemathesis, are refused as it says. */
import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const LIMIT_MS = 20 * 60_000;

test(
  "what the OpenAPI document forbids is refused",
  async () => {
    const command = ["bin/bun", "scripts/schemathesis.ts", "--mode", "negative"];
    const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "inherit" });
    const found = await new Response(child.stdout).text();
    expect(await child.exited, found).toBe(0);
  },
  LIMIT_MS,
);
