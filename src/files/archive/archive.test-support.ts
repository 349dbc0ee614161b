/** Test support: what the programs for ZIP files say of an archive, and its entries as the format's text lays them out. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Name, size, the first characters, and the time in seconds. */
export type ReadEntry = [name: string, size: number, text: string, modifiedAt: number];

const READ = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps([[i.filename, i.file_size, archive.read(i)[:200].decode('latin-1'), int.from_bytes(i.extra[-4:], 'little')] for i in archive.infolist()]))
`;

/** Each answers with exit code 0 for a sound archive. */
const PROGRAMS: Record<string, (path: string, only: string) => string[]> = {
  unzip: (path, only) => ["unzip", "-tqq", path, only],
  bsdtar: (path) => ["bsdtar", "-tf", path],
  // Without the list at the end, as from a pipe.
  "bsdtar from a pipe": (path) => ["sh", "-c", 'cat "$0" | bsdtar -xOf - >/dev/null', path],
  python3: (path) => ["python3", "-c", READ, path],
};

const isRequired = process.env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";

export const ZIP_PROGRAMS = Object.keys(PROGRAMS).filter((name) => {
  const program = name.split(" ")[0]!;
  if (Bun.which(program) !== null || isRequired) return true;
  process.stderr.write(`${program} is not installed: archives are not tested with it\n`);
  return false;
});

export function withArchive<T>(bytes: Uint8Array, run: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "waymark-archive-"));
  try {
    const path = join(folder, "a.zip");
    writeFileSync(path, bytes);
    return run(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the program has to complain about; empty if nothing, or if it is not installed. `only`: for unzip. */
export function complaintOf(name: string, path: string, only = "*"): string {
  if (!ZIP_PROGRAMS.includes(name)) return "";
  const { exitCode, stdout, stderr } = Bun.spawnSync(PROGRAMS[name]!(path, only), {
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  return exitCode === 0 ? "" : `${name}: exit code ${exitCode}: ${stdout}${stderr}`.slice(-2_000);
}

/** Sound for every program. */
export function readEntries(bytes: Uint8Array): ReadEntry[] {
  return withArchive(bytes, (path) => {
    for (const name of ZIP_PROGRAMS) {
      const complaint = complaintOf(name, path);
      if (complaint !== "") throw new Error(complaint);
    }
    return JSON.parse(Bun.spawnSync(["python3", "-c", READ, path]).stdout.toString());
  });
}

/** The same without times. */
export const readArchive = (bytes: Uint8Array) =>
  readEntries(bytes).map(([name, size, text]) => [name, size, text] as const);
