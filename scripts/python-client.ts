/**
 * The Python package: `clients/python` with the client that openapi-python-client generates from an OpenAPI document.
 * Run as a program, it builds a wheel of the released document in `clients/python/dist`. Needs Python 3 with venv.
 */
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { installPython, runWell } from "./tools.ts";

const ROOT = join(import.meta.dir, "..");
const SETTINGS = join(import.meta.dir, "client-stories.d", "python-client.yaml");
const PIP = ["--quiet", "--disable-pip-version-check", "--no-deps"];

/** Generates the client in `folder`, a copy of `clients/python`. Returns the path of the wheel. */
async function buildWheel(programs: string, document: string, folder: string): Promise<string> {
  const client = join(folder, "waymark_client");
  const places = ["--path", document, "--output-path", client, "--meta", "none", "--overwrite"];
  const options = ["--config", SETTINGS, "--fail-on-warning"];
  await runWell([join(programs, "openapi-python-client"), "generate", ...places, ...options], folder);
  await Bun.write(join(client, "py.typed"), "");
  const dist = join(folder, "dist");
  const pip = [join(programs, "pip"), "wheel", ...PIP, "--no-build-isolation", "--wheel-dir", dist, folder];
  await runWell(pip, folder);
  return join(dist, readdirSync(dist).find((name) => name.endsWith(".whl"))!);
}

/** Installs the package in `folder`, for PYTHONPATH. @param document path of an OpenAPI document */
export async function installWheel(document: string, folder: string): Promise<void> {
  const programs = await installPython("client-stories");
  const source = join(folder, "source");
  cpSync(join(ROOT, "clients", "python"), source, { recursive: true });
  const wheel = await buildWheel(programs, document, source);
  await runWell([join(programs, "pip"), "install", ...PIP, "--target", join(folder, "site"), wheel], folder);
}

if (import.meta.main) {
  const programs = await installPython("client-stories");
  const document = join(ROOT, "docs", "openapi", "1.0.json");
  console.log(await buildWheel(programs, document, join(ROOT, "clients", "python")));
}
