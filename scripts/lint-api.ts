/**
 * Lints the OpenAPI document with the recommended rules of Redocly and Spectral; a warning fails too. Both are installed
 * in .cache/lint-api at the first run. Versions, and rules that do not apply, are in lint-api.d/.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newApiDocument } from "./openapi.ts";
import { run, runWell } from "./tools.ts";

const SETTINGS = join(import.meta.dir, "lint-api.d");
const TOOLS = join(import.meta.dir, "..", ".cache", "lint-api");
const ENVIRONMENT = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

async function install(): Promise<void> {
  const lock = await Bun.file(join(SETTINGS, "package-lock.json")).bytes();
  const stamp = join(TOOLS, createHash("sha256").update(lock).digest("hex"));
  if (existsSync(stamp)) return;
  rmSync(TOOLS, { recursive: true, force: true });
  mkdirSync(TOOLS, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    copyFileSync(join(SETTINGS, name), join(TOOLS, name));
  await runWell(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"], TOOLS);
  await Bun.write(stamp, "");
}

await install();
const document = join(TOOLS, "openapi.json");
await Bun.write(document, JSON.stringify(await newApiDocument(), null, 1));
const tool = (name: string): string => join(TOOLS, "node_modules", ".bin", name);
const rules = (name: string): string => join(SETTINGS, `${name}.yaml`);
const commands = [
  [tool("redocly"), "lint", document, "--config", rules("redocly"), "--format", "stylish"],
  [tool("spectral"), "lint", document, "--ruleset", rules("spectral"), "--fail-severity", "warn"],
];
for (const { status, text } of await Promise.all(commands.map((one) => run(one, TOOLS, ENVIRONMENT)))) {
  if (status === 0) continue;
  console.error(text);
  process.exitCode = 1;
}
