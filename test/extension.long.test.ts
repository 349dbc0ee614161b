/** Mozilla's linter of extensions takes clients/extension. It is in the folder WEB_EXT_DIR. */
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = join(process.env["WEB_EXT_DIR"] ?? "", "node_modules/web-ext/bin/web-ext.js");
const SOURCE = [
  "--source-dir",
  join(import.meta.dir, "../clients/extension"),
  "--ignore-files",
  "README.md",
  "pictures",
];

async function webExt(...args: string[]): Promise<string> {
  const command = ["node", PROGRAM, ...args, ...SOURCE];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(out + err);
  return out;
}

if (!existsSync(PROGRAM)) test.skip("web-ext, WEB_EXT_DIR is no folder with it", () => {});
else {
  test("the linter finds nothing, and the archive is made", async () => {
    const { summary } = JSON.parse(await webExt("lint", "--output", "json"));
    expect(summary).toEqual({ errors: 0, notices: 0, warnings: 0 });
    const folder = mkdtempSync(join(tmpdir(), "waymark-web-ext-"));
    await webExt("build", "--artifacts-dir", folder);
    expect(existsSync(join(folder, "waymark-1.0.0.zip"))).toBe(true);
    rmSync(folder, { recursive: true, force: true });
  });
}
