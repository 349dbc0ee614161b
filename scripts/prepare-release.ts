/**
 * Prepares the release of a version, before the commit that is tagged:
 *
 *     bin/bun scripts/prepare-release.ts 1.1.0
 *
 * Gives the version to package.json, the lock file, the clients and the Helm chart, and what is unreleased in
 * CHANGELOG.md to its section. The first release of a minor version also keeps its API in docs/openapi/, which later
 * versions may not break, and its tables in db/schema/, which later versions have to upgrade.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS } from "../src/platform/db/migrate.ts";
import { run } from "./release.d/tools.ts";

const ROOT = join(import.meta.dir, "..");
const VERSION = /^\d+\.\d+\.\d+$/;
const IN_PACKAGE = /(?<=^ {2}"version": ")[^"]+/m;
/** The package itself, in its lock file. */
const IN_LOCK = /(?<=^ {6}"version": ")[^"]+/m;
const packages = (folder: string): [string, RegExp][] => [
  [`${folder}package.json`, IN_PACKAGE],
  [`${folder}package-lock.json`, IN_PACKAGE],
  [`${folder}package-lock.json`, IN_LOCK],
];
/** Where the version is, each time as the first match. */
export const VERSION_PLACES: readonly [file: string, place: RegExp][] = [
  ...packages(""),
  ...packages("clients/typescript/"),
  ...packages("clients/n8n/"),
  ["clients/python/pyproject.toml", /(?<=^version = ")[^"]+/m],
  ["clients/extension/manifest.json", IN_PACKAGE],
  ["deploy/helm/Chart.yaml", /(?<=^version: ).+/m],
  ["deploy/helm/Chart.yaml", /(?<=^appVersion: ).+/m],
];
const UNRELEASED = "## Unreleased\n";
const DATABASES = ["sqlite", "postgres", "mysql", "mariadb"];

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const write = (file: string, text: string): void => writeFileSync(join(ROOT, file), text);

/**
 * A changelog in which `version` has what was unreleased, below what its section had already.
 * @throws Error if nothing is unreleased
 */
export function releasedChangelog(text: string, version: string): string {
  const [head, rest] = text.split(UNRELEASED) as [string, string | undefined];
  const end = rest?.search(/^## /m) ?? -1;
  const changes = rest?.slice(0, end === -1 ? undefined : end).trim();
  if (!changes) throw new Error("CHANGELOG.md has nothing below 'Unreleased'.");
  const older = end === -1 ? "" : rest!.slice(end);
  const heading = `## ${version}\n`;
  if (!older.includes(heading)) return `${head}${UNRELEASED}\n${heading}\n${changes}\n\n${older}`;
  const [before, section] = older.split(heading) as [string, string];
  const next = section.search(/^## /m);
  const [own, others] = next === -1 ? [section, ""] : [section.slice(0, next), section.slice(next)];
  return `${head}${UNRELEASED}\n${before}${heading}${own.trimEnd()}\n\n${changes}\n${others && `\n${others}`}`;
}

async function main(version: string | undefined): Promise<void> {
  if (version === undefined || !VERSION.test(version))
    throw new Error("Name the version, such as 1.1.0: bin/bun scripts/prepare-release.ts 1.1.0");
  write("CHANGELOG.md", releasedChangelog(read("CHANGELOG.md"), version));
  for (const [file, place] of VERSION_PLACES) {
    if (!place.test(read(file))) throw new Error(`${file} has no version.`);
    write(file, read(file).replace(place, version));
  }
  const minor = version.split(".").slice(0, 2).join(".");
  if (version.endsWith(".0"))
    write(`docs/openapi/${minor}.json`, await run(["bin/bun", "scripts/openapi.ts", "--release"], ROOT));
  const schema = join(ROOT, "db/schema", minor);
  if (!existsSync(schema)) {
    mkdirSync(schema);
    for (const name of DATABASES)
      copyFileSync(join(schema, "..", `${name}.sql`), join(schema, `${name}.sql`));
    const steps = MIGRATIONS.map(({ name }) => name);
    writeFileSync(join(schema, "steps.json"), `${JSON.stringify(steps, null, 2)}\n`);
  }
  console.log(`Commit this, tag the commit v${version}, and run 'npm run release -- --sign KEY' on it.`);
}

if (import.meta.main) await main(process.argv[2]);
