/**
 * Runs commands, and installs the pinned tools of other scripts in `.cache/NAME`: Node's from the lock in
 * `scripts/NAME.d`, Python's from its `requirements.txt` (needs Python 3 with venv), Go's from its `go.sum`. Run as a
 * program it installs all of them but those that arguments name, so that CI waits for registries beside other work and
 * not within the limits of its steps.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A registry that hangs is asked again. */
const TRIES = 3;
const TRY_MS = 180_000;

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

type Install = (folder: string) => Promise<unknown>;

/** Installs once for each content of `lock`, a file of `scripts/NAME.d`. Returns the folder. */
async function installOnce(name: string, lock: string, install: Install): Promise<string> {
  const folder = join(import.meta.dir, "..", ".cache", name);
  const bytes = await Bun.file(join(import.meta.dir, `${name}.d`, lock)).bytes();
  const stamp = join(folder, createHash("sha256").update(bytes).digest("hex"));
  for (let tried = 1; !existsSync(stamp); tried++) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    try {
      await install(folder);
      await Bun.write(stamp, "");
    } catch (error) {
      if (tried === TRIES) throw error;
      console.error(`${name} could not be installed, trying again: ${(error as Error).message}`);
    }
  }
  return folder;
}

/** Ends the whole command, with the processes that it started, when the time is up. */
const withLimit = (command: readonly string[]): string[] => [
  "timeout",
  "-k",
  "5",
  `${TRY_MS / 1000}`,
  ...command,
];

/** Returns `node_modules`. */
export async function installNode(name: string): Promise<string> {
  const options = [
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--ignore-scripts",
    "--loglevel=error",
  ];
  const installed = await installOnce(name, "package-lock.json", async (folder) => {
    for (const file of ["package.json", "package-lock.json"])
      copyFileSync(join(import.meta.dir, `${name}.d`, file), join(folder, file));
    await runWell(withLimit(["npm", "install", ...options]), folder);
  });
  return join(installed, "node_modules");
}

/** Returns the folder of the programs. */
export async function installPython(name: string): Promise<string> {
  const requirements = join(import.meta.dir, `${name}.d`, "requirements.txt");
  const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "-r", requirements];
  const installed = await installOnce(name, "requirements.txt", async (folder) => {
    await runWell(["python3", "-m", "venv", folder], folder);
    await runWell(withLimit([join(folder, "bin", "pip"), "install", ...options]), folder);
  });
  return join(installed, "bin");
}

/** Fetches the modules of the lock in `scripts/NAME.d/go`. False: Go is not installed. */
export async function installGo(name: string): Promise<boolean> {
  if (Bun.which("go") === null) return false;
  await runWell(withLimit(["go", "mod", "download"]), join(import.meta.dir, `${name}.d`, "go"));
  return true;
}

if (import.meta.main) {
  const left = new Set(process.argv.slice(2));
  for (const name of ["lighthouse", "lint-api"]) if (!left.has(name)) await installNode(name);
  for (const name of ["client-stories", "schemathesis", "lint-chart"])
    if (!left.has(name)) await installPython(name);
  if (!left.has("client-stories")) await installGo("client-stories");
}
