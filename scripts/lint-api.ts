/**
 * Lints the OpenAPI document with the recommended rules of Redocly and Spectral; a warning fails too. Both are installed
 * in .cache/lint-api at the first run. Versions, and rules that do not apply, are in lint-api.d/.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newApiDocument } from "./openapi.ts";

const SETTINGS = join(import.meta.dir, "lint-api.d");
const TOOLS = join(import.meta.dir, "..", ".cache", "lint-api");
const ENVIRONMENT = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

async function run(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], {
    cwd: TOOLS,
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status === 0) return;
  console.error(`'${command.join(" ")}' ended with ${status}.\n${out}${err}`);
  process.exitCode = 1;
}

async function install(): Promise<void> {
  const lock = await Bun.file(join(SETTINGS, "package-lock.json")).bytes();
  const stamp = join(TOOLS, createHash("sha256").update(lock).digest("hex"));
  if (existsSync(stamp)) return;
  rmSync(TOOLS, { recursive: true, force: true });
  mkdirSync(TOOLS, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    copyFileSync(join(SETTINGS, name), join(TOOLS, name));
  await run(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]);
  if (!process.exitCode) await Bun.write(stamp, "");
}

await install();
const document = join(TOOLS, "openapi.json");
await Bun.write(document, JSON.stringify(await newApiDocument(), null, 1));
const tool = (name: string): string => join(TOOLS, "node_modules", ".bin", name);
const rules = (name: string): string => join(SETTINGS, `${name}.yaml`);
await Promise.all([
  run([tool("redocly"), "lint", document, "--config", rules("redocly"), "--format", "stylish"]),
  run([tool("spectral"), "lint", document, "--ruleset", rules("spectral"), "--fail-severity", "warn"]),
]);
