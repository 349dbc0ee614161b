/**
 * Makes a release from a clean checkout (`npm run release`) in dist/release/: executables and Debian packages for x64 and
 * arm64, the Helm chart, the OpenAPI document, the TypeScript client, SBOM, provenance and checksums.
 *   --sign KEY                     signs SHA256SUMS with this SSH key
 *   --builder ID                   URI of who builds, for the provenance
 *   --maintainer "NAME <ADDRESS>"  of the packages
 * Two runs of a commit give the same bytes, whatever the folder. docs/releases.md says how to verify a release.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import lock from "../package-lock.json";
import { debianVersion, makeDeb } from "./release.d/deb.ts";
import { writeProvenance } from "./release.d/provenance.ts";
import { makeSbom } from "./release.d/sbom.ts";
import { run, sha256 } from "./release.d/tools.ts";

const ROOT = join(import.meta.dir, "..");
const TARGET = join(ROOT, "dist/release");
/** Our name of an architecture, and that of the package with its runtime. */
const RUNTIMES = { x64: "@oven/bun-linux-x64", arm64: "@oven/bun-linux-aarch64" };
const DEBIAN = { x64: "amd64", arm64: "arm64" } as const;
const ANONYMOUS = "The Waymark authors <nobody@waymark.invalid>";

type Locked = { version: string; integrity: string };
const lockedAt = (name: string) =>
  (lock.packages as Record<string, unknown>)[`node_modules/${name}`] as Locked;

/** The runtime of an architecture, as package-lock.json pins it. */
async function fetchRuntime(name: string): Promise<string> {
  const { version, integrity } = lockedAt(name);
  const folder = join(ROOT, ".cache/runtimes", `${name.split("/")[1]}-${version}`);
  const program = join(folder, "package/bin/bun");
  if (existsSync(program)) return program;
  const work = `${folder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const packed = await run(
    ["npm", "pack", "--silent", "--pack-destination", work, `${name}@${version}`],
    ROOT,
  );
  const file = join(work, packed.trim());
  const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not what package-lock.json pins: ${found}`);
  await run(["tar", "-xzf", file, "-C", work], ROOT);
  rmSync(file);
  renameSync(work, folder);
  return program;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { sign: { type: "string" }, builder: { type: "string" }, maintainer: { type: "string" } },
  });
  const changed = await run(["git", "status", "--porcelain"], ROOT);
  if (changed !== "") throw new Error(`The checkout has changes. Commit them first:\n${changed}`);
  const [commit, seconds] = (await run(["git", "log", "-1", "--format=%H %ct"], ROOT)).trim().split(" ");
  const { version } = lock;
  if (!readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").includes(`## Unreleased\n\n## ${version}\n`))
    throw new Error(
      `CHANGELOG.md has unreleased changes. Run 'bin/bun scripts/prepare-release.ts VERSION' first.`,
    );
  const at = new Date(Number(seconds) * 1000).toISOString();
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  const place = (name: string) => join(TARGET, name);
  const files: string[] = [];

  for (const arch of ["x64", "arm64"] as const) {
    const name = RUNTIMES[arch];
    const file = `waymark-${version}-linux-${arch}`;
    // The executable holds its own name.
    const built = join(TARGET, arch, "waymark");
    await run(["scripts/build-binary.sh", `bun-linux-${arch}`, await fetchRuntime(name), built], ROOT);
    renameSync(built, place(file));
    rmdirSync(dirname(built));
    const architecture = DEBIAN[arch];
    const deb = `waymark_${debianVersion(version)}_${architecture}.deb`;
    const maintainer = values.maintainer ?? ANONYMOUS;
    await makeDeb(
      { root: ROOT, program: place(file), architecture, version, at: Number(seconds), maintainer },
      place(deb),
    );
    files.push(file, deb);
  }
  const chart = `waymark-chart-${version}.tgz`;
  await run(
    [
      "tar",
      "--sort=name",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=u=rwX,go=rX",
      `--mtime=@${seconds}`,
    ].concat([
      "--transform",
      "s,^deploy/helm,waymark,",
      "-I",
      "gzip -9n",
      "-cf",
      place(chart),
      "deploy/helm",
    ]),
    ROOT,
  );
  const document = `waymark-${version}-openapi.json`;
  writeFileSync(place(document), await run(["bin/bun", "scripts/openapi.ts", "--release"], ROOT));
  const client = join(ROOT, "clients/typescript");
  await run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], client);
  const packed = (await run(["npm", "pack", "--silent", "--pack-destination", TARGET], client)).trim();
  const sbom = `waymark-${version}.cdx.json`;
  writeFileSync(place(sbom), await makeSbom(ROOT, { version, at, runtimes: Object.values(RUNTIMES) }));
  files.push(chart, document, packed, sbom);

  const provenance = `waymark-${version}.intoto.json`;
  const subjects = files.map((name) => ({ name, digest: { sha256: sha256(place(name)) } }));
  const runtimes = Object.values(RUNTIMES).map((name) => ({ name, ...lockedAt(name) }));
  const builder = values.builder ?? "urn:waymark:builder:unnamed";
  writeFileSync(
    place(provenance),
    writeProvenance({
      subjects,
      version,
      commit: commit!,
      lockFile: sha256(join(ROOT, "package-lock.json")),
      runtimes,
      builder,
    }),
  );
  const notices = {
    LICENSE: "LICENSE",
    "NOTICE.md": "NOTICE.md",
    "LICENSE.libheif": "node_modules/libheif-js/libheif-wasm/LICENSE",
  };
  for (const [name, path] of Object.entries(notices)) cpSync(join(ROOT, path), place(name));
  files.push(provenance, ...Object.keys(notices));
  const sums = files.toSorted().map((name) => `${sha256(place(name))}  ${name}\n`);
  writeFileSync(place("SHA256SUMS"), sums.join(""));
  if (values.sign !== undefined)
    await run(
      ["ssh-keygen", "-Y", "sign", "-f", values.sign, "-n", "waymark-release", place("SHA256SUMS")],
      ROOT,
    );
  console.log(`${TARGET}:\n${sums.join("")}`);
}

if (import.meta.main) await main();
