/** What a release tells of itself. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json";
import { releasedChangelog, VERSION_PLACES } from "../scripts/prepare-release.ts";
import { debianVersion } from "../scripts/release.d/deb.ts";
import { writeProvenance } from "../scripts/release.d/provenance.ts";
import { makeSbom } from "../scripts/release.d/sbom.ts";

const ROOT = join(import.meta.dir, "..");
const RUNTIMES = ["@oven/bun-linux-x64", "@oven/bun-linux-aarch64"];
/** Packages whose package.json names no licence. The Readme of this one says MIT. */
const WITHOUT_LICENCE = ["combine-errors"];

const about = { version: "1.0.0", at: "2026-01-01T00:00:00.000Z", runtimes: RUNTIMES };

test("the SBOM has what is in the program with hash and licence", async () => {
  const bom = JSON.parse(await makeSbom(ROOT, about)) as {
    serialNumber: string;
    metadata: { timestamp: string };
    components: { name: string; hashes?: unknown[]; licenses?: unknown[]; "bom-ref": string }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const names = bom.components.map(({ name }) => name);
  for (const name of [...Object.keys(manifest.dependencies), ...RUNTIMES, "react-dom", "scheduler"])
    expect(names).toContain(name);
  for (const name of [
    "@biomejs/biome",
    "typescript",
    "vite",
    "@babel/core",
    "playwright-core",
    "@oven/bun-darwin-x64",
    // An override puts another package in its place.
    "@napi-rs/canvas",
  ])
    expect(names).not.toContain(name);
  expect(bom.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(bom.metadata.timestamp).toBe(about.at);
  expect(bom.components.filter(({ hashes }) => (hashes ?? []).length === 0)).toEqual([]);
  const unlicensed = bom.components.filter(({ licenses }) => (licenses ?? []).length === 0);
  expect(unlicensed.map(({ name }) => name)).toEqual(WITHOUT_LICENCE);
  const refs = new Set(bom.components.map((one) => one["bom-ref"]));
  expect(bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
});

test("the provenance names files, commit, lock file, runtimes and builder, and no time", () => {
  const integrity = `sha512-${Buffer.from("abc").toString("base64")}`;
  const text = writeProvenance({
    subjects: [{ name: "waymark", digest: { sha256: "00" } }],
    version: "1.0.0",
    commit: "c0ffee",
    lockFile: "11",
    runtimes: [{ name: "@oven/bun-linux-x64", version: "1.4.5", integrity }],
    builder: "https://example.com/builder",
  });
  const { predicate, ...statement } = JSON.parse(text);
  expect(statement).toEqual({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "waymark", digest: { sha256: "00" } }],
    predicateType: "https://slsa.dev/provenance/v1",
  });
  expect(predicate.buildDefinition.resolvedDependencies).toEqual([
    { name: "waymark", digest: { gitCommit: "c0ffee" } },
    { name: "package-lock.json", digest: { sha256: "11" } },
    { uri: "pkg:npm/%40oven/bun-linux-x64@1.4.5", digest: { sha512: "616263" } },
  ]);
  expect(predicate.runDetails).toEqual({ builder: { id: "https://example.com/builder" } });
});

test("clients and chart have the version of the program", () => {
  for (const [file, place] of VERSION_PLACES)
    expect([file, place.exec(readFileSync(join(ROOT, file), "utf8"))?.[0]]).toEqual([file, manifest.version]);
});

test("dpkg orders what comes before a version below it", () => {
  expect([debianVersion("1.1.0-rc.1"), debianVersion("1.1.0")]).toEqual(["1.1.0~rc.1", "1.1.0"]);
});

test("a release gets what was unreleased, below what its section had", () => {
  const [head, news, older] = ["# Changelog\n\n", "### Added\n\n- This.\n", "## 1.0.0\n\nThe first.\n"];
  const open = "## Unreleased\n\n";
  const text = `${head}${open}${news}\n${older}`;
  expect(releasedChangelog(text, "1.1.0")).toBe(`${head}${open}## 1.1.0\n\n${news}\n${older}`);
  expect(releasedChangelog(text, "1.0.0")).toBe(`${head}${open}${older}\n${news}`);
  expect(() => releasedChangelog(`${head}${open}${older}`, "1.1.0")).toThrow("nothing below 'Unreleased'");
});
