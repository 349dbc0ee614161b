import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileTrouble, writeRefusal } from "./file-trouble.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-trouble-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const failed = (code: string, path: string, more = {}) =>
  Object.assign(new Error(`${code}: what the system says`), { code, path, ...more });

/** Root may write everything, so these tests run without root's rights. */
const isRoot = process.geteuid!() === 0;
const asNobody = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
const canAsk = Bun.spawnSync([...asNobody, process.execPath, "--version"], { cwd: "/" }).exitCode === 0;
const ask = (path: string): string => {
  const script = `const { writeRefusal } = await import(${JSON.stringify(join(import.meta.dir, "file-trouble.ts"))});
    process.stdout.write(writeRefusal([process.argv.at(-1)]) ?? "none");`;
  return Bun.spawnSync([...asNobody, process.execPath, "-e", script, path], { cwd: "/" }).stdout.toString();
};

test("a read-only file system, a full disk and a file in the path are explained", () => {
  expect(fileTrouble(failed("EROFS", "/data.restoring"))).toBe(
    "/data.restoring is on a read-only file system; mount it writable, or name another folder.",
  );
  expect(fileTrouble(failed("ENOSPC", "/from", { dest: "/data/to" }))).toContain("no room left for /data/to");
  expect(fileTrouble(failed("ENOTDIR", "/file/x"))).toContain("a part of its path is a file");
  expect(fileTrouble(new RangeError("mine"))).toBeNull();
  expect(fileTrouble(failed("EEXIST", "/file", { syscall: "mkdir" }))).toContain("is a file");
  expect(fileTrouble(failed("EEXIST", "/x", { syscall: "open" }))).toBeNull();
});

test.skipIf(!canAsk)("a refused path names who asks, whose it is, and how to give it away", () => {
  chmodSync(folder, 0o755);
  const closed = join(folder, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o555);
  const [owner, asking] = [process.geteuid!(), isRoot ? 65_534 : process.geteuid!()];
  const line = ask(closed);
  expect(line).toStartWith(`User ${asking} may not write ${closed}: it belongs to user ${owner}`);
  expect(line).toContain("mode 555");
  expect(line).toContain(isRoot ? `chown -R 65534:65534 ${closed}` : `chmod u+rwx ${closed}`);
});

test.skipIf(!canAsk)("a folder that can't be made is to be made, not the one above given away", () => {
  const error = failed("EACCES", join(folder, "closed", "new"), { syscall: "mkdir" });
  const script = `const { fileTrouble } = await import(${JSON.stringify(join(import.meta.dir, "file-trouble.ts"))});
    process.stdout.write(fileTrouble(Object.assign(new Error(), ${JSON.stringify(error)})) ?? "none");`;
  const { stdout } = Bun.spawnSync([...asNobody, process.execPath, "-e", script], { cwd: "/" });
  expect(stdout.toString()).toMatch(/install -d -o \d+ -g \d+ \S+closed\/new$/);
  expect(stdout.toString()).not.toContain("chown");
});

test("writable and missing paths give no message", () => {
  writeFileSync(join(folder, "own"), "");
  expect(writeRefusal([folder, join(folder, "own"), join(folder, "absent")])).toBeNull();
});
