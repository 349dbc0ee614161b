import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const onLinux = test.skipIf(process.platform !== "linux");

onLinux(
  "a confined process reaches no file, connection, program or other process, and still works",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "waymark-confined-"));
    const victim = join(folder, "victim");
    writeFileSync(victim, "content");
    const script = join(import.meta.dir, "confined.test-support.ts");
    const child = Bun.spawn([process.execPath, script, victim], { stdout: "pipe", stderr: "pipe" });
    const [printed, complaint] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(complaint).toBe("");
    expect(JSON.parse(printed)).toEqual({ worked: [] });
    expect([await child.exited, readdirSync(folder), readFileSync(victim, "latin1")]).toEqual([
      0,
      ["victim"],
      "content",
    ]);
    rmSync(folder, { recursive: true });
  },
);
