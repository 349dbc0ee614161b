/** Runs commands, and installs pinned packages of Python in .cache/. Needs Python 3 with venv. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export async function run(command: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const stopTool = () => child.kill();
  process.once("exit", stopTool);
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  const [out = "", err = ""] = await Promise.all(texts);
  const status = await child.exited;
  process.off("exit", stopTool);
  return { status, text: out + err };
}

/** @throws Error with what the command printed */
export async function runWell(command: readonly string[], cwd: string, env?: Record<string, string>) {
  const { status, text } = await run(command, cwd, env);
  if (status !== 0) throw new Error(`'${command.join(" ")}' ended with ${status}.\n${text}`);
  return text;
}

/** Once. Returns the folder of the programs. */
export async function installPython(name: string, requirements: string): Promise<string> {
  const tool = join(import.meta.dir, "..", ".cache", name);
  const lock = createHash("sha256")
    .update(await Bun.file(requirements).bytes())
    .digest("hex");
  const stamp = join(tool, lock);
  const programs = join(tool, "bin");
  if (existsSync(stamp)) return programs;
  rmSync(tool, { recursive: true, force: true });
  mkdirSync(tool, { recursive: true });
  const packages = ["--quiet", "--disable-pip-version-check", "--no-deps", "-r", requirements];
  for (const command of [
    ["python3", "-m", "venv", tool],
    [join(programs, "pip"), "install", ...packages],
  ]) {
    const { status, text } = await run(command, tool);
    if (status !== 0) throw new Error(`'${command.join(" ")}' failed. Debian needs python3-venv.\n${text}`);
  }
  await Bun.write(stamp, "");
  return programs;
}
