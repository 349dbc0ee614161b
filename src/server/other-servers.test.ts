import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadEnv } from "./settings.ts";
import { type MachineFolders, refuseStrayDatabase } from "./other-servers.ts";

const root = mkdtempSync(join(tmpdir(), "waymark-machine-"));
afterAll(() => rmSync(root, { recursive: true }));

const shell = join(root, "home");
const machine: MachineFolders = {
  units: [join(root, "units")],
  processes: join(root, "proc"),
  program: "/opt/main.ts",
};

beforeEach(() => {
  for (const folder of ["home", "units", "proc"]) {
    rmSync(join(root, folder), { recursive: true, force: true });
    mkdirSync(join(root, folder));
  }
});

const refusal = (variables: Record<string, string> = {}): string | null => {
  try {
    refuseStrayDatabase(loadEnv({ cwd: shell, processEnv: variables }), shell, machine);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

function writeUnit(text: string): void {
  writeFileSync(
    join(root, "units", "waymark.service"),
    `[Service]\n${text}\nExecStart=/usr/bin/waymark serve\n`,
  );
}

function startProcess(args: readonly string[], variables: readonly string[], cwd = shell): void {
  const folder = join(root, "proc", "4711");
  mkdirSync(folder);
  writeFileSync(join(folder, "cmdline"), args.join("\0"));
  writeFileSync(join(folder, "environ"), variables.join("\0"));
  symlinkSync(cwd, join(folder, "cwd"));
}

test("without a server on the machine a database may be created", () => {
  expect(refusal()).toBeNull();
});

test("another database in the EnvironmentFile of a unit is refused", () => {
  const file = join(root, "environment");
  writeFileSync(file, "# secrets\nWAYMARK__DATABASE__URL='postgres://links:secret@db/links'\n");
  writeUnit(
    `Environment=WAYMARK__DATA__DIR=/var/lib/waymark "WAYMARK__LOGGING__FORMAT=json"\nEnvironmentFile=-${file}`,
  );
  expect(refusal()).toContain("waymark.service uses postgres://db/links");
  expect(refusal()).not.toContain("secret");
  // The data folder of the unit, without its EnvironmentFile.
  expect(refusal({ WAYMARK__DATA__DIR: "/var/lib/waymark" })).toContain("postgres://db/links");
  // Settings with another data folder, and the settings of the unit.
  expect(refusal({ WAYMARK__DATA__DIR: "/tmp/other" })).toBeNull();
  expect(refusal({ WAYMARK__DATABASE__URL: "postgres://links:secret@db/links" })).toBeNull();
});

test("drop-ins and the working folder of a unit are read", () => {
  writeUnit("WorkingDirectory=/srv/links");
  expect(refusal()).toContain("/srv/links/data/waymark.db");
  mkdirSync(join(root, "units", "waymark.service.d"));
  writeFileSync(
    join(root, "units", "waymark.service.d", "data.conf"),
    "[Service]\nEnvironment=WAYMARK__DATA__DIR=/mnt/links\n",
  );
  expect(refusal()).toContain("/mnt/links/waymark.db");
});

test("an unreadable EnvironmentFile is named", () => {
  // A folder can't be read as a file, even by root.
  writeUnit(`EnvironmentFile=${shell}`);
  expect(refusal()).toContain(`settings in ${shell}, which`);
});

test("another database of a server that runs in the same folder is refused", () => {
  startProcess(["bun", "/opt/main.ts", "serve"], ["WAYMARK__DATA__DIR=/srv/data", "HOME=/root"]);
  expect(refusal()).toContain("process 4711) uses /srv/data/waymark.db");
});

test("a server that runs in another folder counts only with the same data folder", () => {
  const url = "WAYMARK__DATABASE__URL=postgres://db/links";
  startProcess(["bun", "/opt/main.ts", "serve"], ["WAYMARK__DATA__DIR=/srv/data", url], "/srv");
  expect(refusal()).toBeNull();
  expect(refusal({ WAYMARK__DATA__DIR: "/srv/data" })).toContain("process 4711) uses postgres://db/links");
});

test.each([
  ["a server of another copy of the program", ["bun", "/elsewhere/main.ts", "serve"]],
  ["another command", ["bun", "/opt/main.ts", "links", "list"]],
])("a command is not refused because of %s", (_name, args) => {
  startProcess(args, ["WAYMARK__DATA__DIR=/srv/data"]);
  expect(refusal()).toBeNull();
});
