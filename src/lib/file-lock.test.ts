import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryFileLock } from "./file-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const holdInChild = (path: string) => {
  const source = `
    const { tryFileLock } = await import(${JSON.stringify(join(import.meta.dir, "file-lock.ts"))});
    console.log(tryFileLock(${JSON.stringify(path)}) === null ? "refused" : "held");
    setInterval(() => {}, 1000);
  `;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe" });
  const reader = child.stdout.getReader();
  const said = reader.read().then(({ value }) => new TextDecoder().decode(value).trim());
  return { child, said };
};

test("a process holds the lock once at a time", () => {
  const path = join(folder, "within");
  const first = tryFileLock(path);
  expect(first?.path).toBe(path);
  expect(tryFileLock(path)).toBeNull();
  // A refused attempt opened and closed the file; the lock must survive that.
  expect(tryFileLock(path)).toBeNull();
  first?.release();
  first?.release();
  const second = tryFileLock(path);
  expect(second).not.toBeNull();
  second?.release();
});

test("the lock stays held after refused attempts of its own process", async () => {
  const path = join(folder, "between");
  const lock = tryFileLock(path);
  expect(tryFileLock(path)).toBeNull();
  const { child, said } = holdInChild(path);
  expect(await said).toBe("refused");
  child.kill(9);
  await child.exited;
  lock?.release();
});

test("the lock of a killed process is free", async () => {
  const path = join(folder, "killed");
  const { child, said } = holdInChild(path);
  expect(await said).toBe("held");
  expect(tryFileLock(path)).toBeNull();
  child.kill(9);
  await child.exited;
  const lock = tryFileLock(path);
  expect(lock).not.toBeNull();
  lock?.release();
});

test("a missing folder is an error, not a refusal", () => {
  expect(() => tryFileLock(join(folder, "no", "such", "folder"))).toThrow();
});
