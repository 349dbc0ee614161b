/**
 * Generates clients/typescript/api.ts from the OpenAPI document (`npm run generate:client`). With --check it only
 * compares, and fails if the file is not what the endpoints say. The generator is a package of the client, installed
 * at first use.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newApiDocument } from "./openapi.ts";

const CLIENT = join(import.meta.dir, "..", "clients", "typescript");
const GENERATED = join(CLIENT, "api.ts");
const MODULES = join(CLIENT, "node_modules");

const OPTIONS = ["--alphabetize", "--root-types", "--root-types-no-schema-prefix"];
const HEADER = "// Generated from the OpenAPI document by `npm run generate:client`. Do not edit.\n\n";

async function run(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: CLIENT, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`'${command.join(" ")}' failed.\n${out}${err}`);
}

async function installGenerator(): Promise<void> {
  const stamp = Bun.file(join(MODULES, ".waymark-lock"));
  const lock = createHash("sha256")
    .update(await Bun.file(join(CLIENT, "package-lock.json")).bytes())
    .digest("hex");
  if ((await stamp.exists()) && (await stamp.text()) === lock) return;
  await run(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]);
  await Bun.write(stamp, lock);
}

async function generate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-client-"));
  try {
    const [document, output] = [join(folder, "openapi.json"), join(folder, "api.ts")];
    await Bun.write(document, JSON.stringify(await newApiDocument()));
    const program = join(MODULES, "openapi-typescript", "bin", "cli.js");
    await run([process.execPath, program, document, "--output", output, ...OPTIONS]);
    return HEADER + (await Bun.file(output).text());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await installGenerator();
const text = await generate();
if (process.argv.includes("--check")) {
  if (
    (await Bun.file(GENERATED)
      .text()
      .catch(() => "")) !== text
  ) {
    console.error("clients/typescript/api.ts is not what the endpoints say. Run: npm run generate:client");
    process.exit(1);
  }
} else await Bun.write(GENERATED, text);
