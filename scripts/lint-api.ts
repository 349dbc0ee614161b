/**
 * Lints the OpenAPI document with the recommended rules of Redocly and Spectral; a warning fails too.
 * Versions, and rules that do not apply, are in lint-api.d/.
 */
import { join } from "node:path";
import { newApiDocument } from "./openapi.ts";
import { installNode, run } from "./tools.ts";

const SETTINGS = join(import.meta.dir, "lint-api.d");
const ENVIRONMENT = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

const modules = await installNode("lint-api");
const document = join(modules, "..", "openapi.json");
await Bun.write(document, JSON.stringify(await newApiDocument(), null, 1));
const tool = (name: string): string => join(modules, ".bin", name);
const rules = (name: string): string => join(SETTINGS, `${name}.yaml`);
const commands = [
  [tool("redocly"), "lint", document, "--config", rules("redocly"), "--format", "stylish"],
  [tool("spectral"), "lint", document, "--ruleset", rules("spectral"), "--fail-severity", "warn"],
];
for (const { status, text } of await Promise.all(
  commands.map((one) => run(one, join(modules, ".."), ENVIRONMENT)),
)) {
  if (status === 0) continue;
  console.error(text);
  process.exitCode = 1;
}
