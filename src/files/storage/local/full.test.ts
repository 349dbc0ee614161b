/** A full disk. Needs a small file system, and so the right to mount one. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bytesOf,
  contentOf,
  inChunks,
  newId,
  put,
  readAll,
  sha256,
} from "../driver-contract.test-support.ts";
import { createLocalDriver } from "./local.ts";

const MIB = 1024 * 1024;
const root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-full-")));
const disk = join(root, "disk");
mkdirSync(disk);
const isMounted =
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=4m", "waymark-test", disk], { stderr: "ignore" })
    .exitCode === 0;
const title = `a disk of 4 MiB${isMounted ? "" : " (this account may not mount one)"}`;

afterAll(() => {
  if (isMounted) Bun.spawnSync(["umount", disk]);
  rmSync(root, { recursive: true, force: true });
});

const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
};

describe.skipIf(!isMounted)(title, () => {
  const driver = createLocalDriver({ folder: join(disk, "files"), checkRealPath: async () => {} });

  test("refuses files that do not fit with a sentence and leaves nothing of them", async () => {
    const kept = bytesOf(MIB);
    const key = await put(driver, kept);
    const free = freeBytes();
    for (const size of [4 * MIB, 12 * MIB]) {
      const staging = await driver.stage(newId());
      const bytes = bytesOf(size);
      const storing = staging.append(inChunks(bytes)).then(() => staging.finish(contentOf(bytes)));
      await expect(storing).rejects.toMatchObject({
        name: "InsufficientStorage",
        message: "The storage is full. Make room there, then try again.",
      });
      await staging.abort();
      expect(readdirSync(join(disk, "files/.staging"))).toEqual([]);
      expect(freeBytes()).toBe(free);
    }
    expect(sha256(await readAll(await driver.open(key, { size: MIB })))).toBe(sha256(kept));
    await driver.remove(await put(driver, bytesOf(2 * MIB)));
    expect(freeBytes()).toBeGreaterThanOrEqual(free - 65_536);
  });

  test("accepts small files until it is full, and leaves nothing of refused ones", async () => {
    const bytes = bytesOf(100_000);
    const attempts = Array.from({ length: 60 }, () =>
      put(driver, bytes).then(
        (key) => key,
        (error: Error) => error,
      ),
    );
    const outcomes = await Promise.all(attempts);
    const refused = outcomes.filter((outcome) => outcome instanceof Error);
    expect(new Set(refused.map(({ message }) => message))).toEqual(
      new Set(["The storage is full. Make room there, then try again."]),
    );
    const keys = outcomes.filter((outcome) => typeof outcome === "string");
    expect([refused.length > 10, keys.length > 10]).toEqual([true, true]);
    expect(readdirSync(join(disk, "files/.staging"))).toEqual([]);
    for (const key of keys) {
      expect(sha256(await readAll(await driver.open(key, { size: bytes.length })))).toBe(sha256(bytes));
      await driver.remove(key);
    }
  });

  test("leaves no file open of an upload that waits for room, and continues it then", async () => {
    const opened = () =>
      readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return readlinkSync(join("/proc/self/fd", fd)).startsWith(disk);
        } catch {
          return false;
        }
      });
    const [id, bytes] = [newId(), bytesOf(2 * MIB, 3)];
    const first = await driver.stage(id);
    await first.append(inChunks(bytes.subarray(0, MIB)));
    await first.suspend();
    const filler = join(disk, "filler");
    const fill = Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=4096"], { stderr: "ignore" });
    expect(fill.exitCode).toBe(1);
    for (let tries = 0; tries < 3; tries++) {
      const next = await driver.resume(id, MIB);
      const adding = next.append(inChunks(bytes.subarray(MIB))).then(() => next.suspend());
      await expect(adding).rejects.toMatchObject({ name: "InsufficientStorage" });
      await next.suspend().catch(() => undefined);
      expect(opened()).toEqual([]);
    }
    rmSync(filler);
    const last = await driver.resume(id, MIB);
    await last.append(inChunks(bytes.subarray(MIB)));
    const key = await last.finish(contentOf(bytes));
    await last.settle();
    expect(sha256(await readAll(await driver.open(key, { size: 2 * MIB })))).toBe(sha256(bytes));
    await driver.remove(key);
  });

  test("stores parallel uploads as a whole or not at all", async () => {
    const bytes = bytesOf(MIB, 7);
    const attempts = Array.from({ length: 8 }, async () => {
      const staging = await driver.stage(newId());
      try {
        await staging.append(inChunks(bytes));
        return await staging.finish(contentOf(bytes));
      } catch {
        await staging.abort();
        return null;
      }
    });
    const keys = (await Promise.all(attempts)).filter((key) => key !== null);
    for (const key of keys) {
      expect(sha256(await readAll(await driver.open(key, { size: MIB })))).toBe(sha256(bytes));
    }
    expect(readdirSync(join(disk, "files/.staging"))).toEqual([]);
    const listed = (await Array.fromAsync(driver.listObjects())).flat();
    expect(listed.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
    expect(listed.length).toBe(keys.length + 1);
  });
});
