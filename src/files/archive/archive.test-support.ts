/** Test support: what the programs for ZIP files say of an archive, and its entries. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Name, size, the first characters, and the time in seconds. */
export type ReadEntry = [name: string, size: number, text: string, modifiedAt: number];

const READ = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
`;

/** Each exits with code 0 for a sound archive. */
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
  withArchive(bytes, (path) => {
    for (const name of ZIP_PROGRAMS) {
      const complaint = complaintOf(name, path);
      if (complaint !== "") throw new Error(complaint);
    }
  });
  return entriesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** From the list at the end, without ZIP64. */
function entriesOf(bytes: Buffer): ReadEntry[] {
  const end = bytes.length - 22;
  const found: ReadEntry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [size, nameBytes, extraBytes] = [24, 28, 30].map((field, n) =>
      n === 0 ? bytes.readUInt32LE(at + field) : bytes.readUInt16LE(at + field),
    ) as [number, number, number];
    const local = bytes.readUInt32LE(at + 42);
    const content = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameBytes);
    if (bytes.toString("utf8", local + 30, local + 30 + nameBytes) !== name)
      throw new Error(`two names: ${name}`);
    const text = bytes.toString("latin1", content, content + Math.min(size, 200));
    at += 46 + nameBytes + extraBytes;
    found.push([name, size, text, bytes.readInt32LE(at - 4)]);
  }
  if (at !== end) throw new Error(`the list ends at ${at} instead of ${end}`);
  return found;
}

/** The same without times. */
export const readArchive = (bytes: Uint8Array) =>
  readEntries(bytes).map(([name, size, text]) => [name, size, text] as const);
