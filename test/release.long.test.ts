/** The next release, prepared and made in another folder from the commit that is checked out, and verified as docs/releases.md says. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version as current } from "../package.json";
import { run, sha256 } from "../scripts/release.d/tools.ts";
import { readBlocks } from "./support/docs-commands.ts";

const ROOT = join(import.meta.dir, "..");
/** Debian: qemu-user-static, libc6-arm64-cross */
const ARM64 = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"];
const [major, minor] = current.split(".");
const version = `${major}.${Number(minor) + 1}.0`;
/** Programs for two kinds of processors are built and packed, on a busy machine too. */
const LIMIT_MS = 900_000;
const folder = mkdtempSync(join(tmpdir(), "waymark-release-"));
const clone = join(folder, "another place");
const release = join(clone, "dist/release");
const programFor = (arch: string): string => join(release, `waymark-${version}-linux-${arch}`);

async function makeRelease(): Promise<void> {
  await run(["git", "clone", "--quiet", ROOT, clone], ROOT);
  cpSync(join(ROOT, "node_modules"), join(clone, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await run(["bin/bun", "scripts/prepare-release.ts", version], clone);
  const author = ["-c", "user.name=Releaser", "-c", "user.email=releaser@example.com"];
  await run(["git", "add", "--all"], clone);
  await run(["git", ...author, "commit", "--quiet", "--message", `Release ${version}`], clone);
  await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(folder, "key")], folder);
  await run(["npm", "run", "--silent", "release", "--", "--sign", join(folder, "key")], clone);
  writeFileSync(join(release, "allowed_signers"), `waymark ${readFileSync(join(folder, "key.pub"), "utf8")}`);
}
beforeAll(makeRelease, LIMIT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The commands of docs/releases.md below "Verify a release", as a shell does that stops at the first failure. */
const verify = () => {
  const [verifying] = readBlocks("docs/releases.md");
  return run(["sh", "-ec", verifying!.text.replaceAll("VERSION", version)], release);
};

test("sums and signature hold, and a changed file or list does not", async () => {
  const told = await verify();
  for (const file of readFileSync(join(release, "SHA256SUMS"), "utf8").matchAll(/^[0-9a-f]{64} {2}(.+)$/gm))
    expect(told).toContain(`${file[1]}: OK`);
  for (const file of [`waymark-${version}-openapi.json`, "SHA256SUMS"]) {
    const whole = readFileSync(join(release, file));
    writeFileSync(join(release, file), `${whole} `);
    await expect(verify()).rejects.toThrow();
    writeFileSync(join(release, file), whole);
  }
});

test("the provenance names the files as they are, and the commit", async () => {
  const statement = JSON.parse(readFileSync(join(release, `waymark-${version}.intoto.json`), "utf8"));
  expect(statement.subject.length).toBeGreaterThan(4);
  for (const { name, digest } of statement.subject)
    expect([name, digest.sha256]).toEqual([name, sha256(join(release, name))]);
  const commit = (await run(["git", "rev-parse", "HEAD"], clone)).trim();
  expect(statement.predicate.buildDefinition.externalParameters).toEqual({ version, commit });
});

test("the executable has the same bytes as one that is built in another folder", async () => {
  const second = join(folder, "second");
  await run(["git", "clone", "--quiet", clone, second], ROOT);
  for (const kept of ["node_modules", "panel/dist"])
    cpSync(join(clone, kept), join(second, kept), { recursive: true, verbatimSymlinks: true });
  await run(["scripts/build-binary.sh"], second);
  expect(sha256(join(second, "dist/waymark"))).toBe(sha256(programFor("x64")));
});

test.skipIf(Bun.which("lintian") === null)("lintian has nothing to say of the packages", async () => {
  for (const architecture of ["amd64", "arm64"]) {
    const file = join(release, `waymark_${version}_${architecture}.deb`);
    expect(await run(["lintian", "--allow-root", "--fail-on", "error,warning", file], folder)).toBe("");
  }
});

test("the chart is a folder with the version of the release", async () => {
  const chart = join(release, `waymark-chart-${version}.tgz`);
  expect(await run(["tar", "-xzOf", chart, "waymark/Chart.yaml"], folder)).toContain(`version: ${version}\n`);
});

test("the executable for x64 says its version", async () => {
  expect(await run([programFor("x64"), "version"], folder)).toBe(`${version}\n`);
});

const hasArm64 = Bun.which(ARM64[0]!) !== null && existsSync(`${ARM64[2]}/lib/libc.so.6`);
test.skipIf(!hasArm64)("the executable for arm64 says its version, under QEMU", async () => {
  expect(await run([...ARM64, programFor("arm64"), "version"], folder)).toBe(`${version}\n`);
});
