// Prepares a clone with Node and npm only: installs the packages of package-lock.json when they are missing or
// out of date. Otherwise it ends within milliseconds. A second process waits for the first.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exclusively } from "./exclusive.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".waymark-lock");
const lock = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");
const isCurrent = () => existsSync(stamp) && readFileSync(stamp, "utf8") === lock;

function install() {
  if (isCurrent()) return;
  console.error("waymark: installing packages (once; it takes a minute) …");
  // Not `npm ci`: it requires optional packages of other platforms, which some registries lack.
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const done = spawnSync(npm, ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (done.status !== 0) {
    console.error("waymark: 'npm install' failed; see its message above. Fix that and try again.");
    process.exit(1);
  }
  // A new file: a copy of the clone made of hard links has its own stamp.
  rmSync(stamp, { force: true });
  writeFileSync(stamp, lock);
}

if (!isCurrent()) {
  const waiting = "another process installs the packages; waiting for it";
  await exclusively(join(root, ".cache", "set-up.lock"), { waiting, work: install });
}
