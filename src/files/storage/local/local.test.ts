import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { namesIn } from "../../content.test-support.ts";
import {
  bytesOf,
  contentOf,
  driverContract,
  expectUnavailable,
  inChunks,
  newId,
  put,
  readAll,
} from "../driver-contract.test-support.ts";
import { checkRealLocation } from "./location.ts";
import { createLocalDriver } from "./local.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-local-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = (folder: string) => createLocalDriver({ folder, checkRealPath: async () => {} });

driverContract("local", async () => {
  const folder = join(root, "contract");
  return {
    driver: open(folder),
    reopen: async () => open(folder),
    allNames: async () => namesIn(folder),
    overwrite: async (key, bytes) => {
      mkdirSync(dirname(join(folder, key)), { recursive: true });
      writeFileSync(join(folder, key), bytes);
    },
    largeBytes: 3_000_001,
    close: async () => {},
  };
});

/** Small ones are written at the end, large ones as they come. */
const SIZES = [100, 300_000];

describe("local files", () => {
  test.each(SIZES)("of %d bytes are readable by their owner only", async (size) => {
    const folder = join(root, `modes-${size}`);
    const bytes = bytesOf(size);
    const staging = await open(folder).stage(newId());
    await staging.append(inChunks(bytes));
    const { sha256, generation } = contentOf(bytes);
    const key = await staging.finish({ sha256, generation });
    expect(key).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{2}\/[^/]+$/);
    expect(basename(key)).toBe(`${sha256}-${generation}`);
    expect(statSync(join(folder, key)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(join(folder, key))).mode & 0o777).toBe(0o700);
  });

  test("of a folder that is not there are not taken for lost", async () => {
    const folder = join(root, "unmounted");
    const driver = open(folder);
    const bytes = bytesOf(10);
    const key = await put(driver, bytes);
    renameSync(folder, `${folder} elsewhere`);
    await expectUnavailable(driver.stat(key));
    await expectUnavailable(driver.open(key, { size: 10 }));
    mkdirSync(folder);
    await expectUnavailable(driver.stat(key));
    rmSync(folder, { recursive: true });
    renameSync(`${folder} elsewhere`, folder);
    expect(await driver.stat(key)).toEqual({ size: 10 });
    rmSync(join(folder, key));
    expect(await driver.stat(key)).toBeNull();
  });

  test("stored concurrently share a folder, which takes a thousand", async () => {
    const driver = open(join(root, "neighbours"));
    const bytes = bytesOf(10);
    const keys: string[] = [];
    for (let round = 0; round < 35; round++) {
      keys.push(...(await Promise.all(Array.from({ length: 60 }, () => put(driver, bytes)))));
    }
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(dirname(key), (counts.get(dirname(key)) ?? 0) + 1);
    expect(counts.size).toBe(3);
    for (const count of counts.values()) expect(count).toBeLessThanOrEqual(1_000 + 64);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("a name that can't be made fails its file alone", async () => {
    const folder = join(root, "one-fails");
    const driver = open(folder);
    await put(driver, bytesOf(1));
    const taken = newId();
    writeFileSync(join(folder, ".staging", taken), "another upload's");
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const staging = await driver.stage(n === 7 ? taken : newId());
        await staging.append(inChunks(bytesOf(n + 1)));
        return staging.finish(contentOf(bytesOf(n + 1))).then(
          () => n,
          (error: Error) => error.name,
        );
      }),
    );
    expect(outcomes.filter((outcome) => typeof outcome === "string")).toEqual(["StorageUnavailable"]);
    expect(outcomes[7]).toBe("StorageUnavailable");
    expect(namesIn(folder).length).toBe(20);
  });

  test("a location may be behind a link, but not in a forbidden place", async () => {
    mkdirSync(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "linked"));
    await put(open(join(root, "linked")), bytesOf(1));
    const dataDir = join(root, "data");
    const rules = { dataDir, roots: [], used: [{ path: join(root, "real", "taken"), isFile: false }] };
    symlinkSync(join(root, "real", "taken"), join(root, "way"));
    for (const folder of [join(root, "way"), join(root, "linked", "taken"), join(root, "linked", "TAKEN")]) {
      const checkRealPath = (path: string) => checkRealLocation(folder, path, rules);
      const strict = createLocalDriver({ folder, checkRealPath });
      for (const size of SIZES) await expect(put(strict, bytesOf(size))).rejects.toThrow("base_path");
    }
    expect(existsSync(join(root, "real", "taken"))).toBe(false);
  });
});

test("nothing is written while the location's disk is not mounted", async () => {
  const folder = join(root, "mount-point");
  const driver = open(folder);
  await driver.claim("me", true);
  const bytes = bytesOf(100);
  const key = await put(driver, bytes);
  renameSync(folder, `${folder}.away`);
  mkdirSync(folder);
  for (const size of SIZES) await expectUnavailable(put(driver, bytesOf(size)));
  await expectUnavailable(driver.open(key, { size: 100 }));
  expect(namesIn(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  renameSync(`${folder}.away`, folder);
  await put(driver, bytes);
  expect(await readAll(await driver.open(key, { size: 100 }))).toEqual(bytes);
});

describe("a planted symbolic link", () => {
  const folder = join(root, "planted");
  const outside = join(root, "outside");
  const driver = open(folder);
  const bytes = bytesOf(64);
  beforeAll(async () => {
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), bytes);
    await put(driver, bytesOf(1));
  });

  test("in place of a folder is not followed: objects go elsewhere", async () => {
    for (const isOuter of [true, false]) {
      const held = await put(driver, bytes);
      const place = isOuter ? dirname(dirname(held)) : dirname(held);
      renameSync(join(folder, place), join(root, "aside"));
      symlinkSync(outside, join(folder, place));
      await expectUnavailable(driver.open(held, { size: bytes.length }));
      for (const size of SIZES) {
        // One random folder in 256 lies behind the link; the next one does not.
        const key = await put(driver, bytesOf(size)).catch(() => put(driver, bytesOf(size)));
        expect(key.startsWith(`${place}/`)).toBe(false);
      }
      for await (const page of driver.listObjects()) {
        for (const { key } of page) expect(key.startsWith(`${place}/`)).toBe(false);
      }
      rmSync(join(folder, place));
      renameSync(join(root, "aside"), join(folder, place));
      expect(await readAll(await driver.open(held, { size: bytes.length }))).toEqual(bytes);
    }
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(namesIn(join(folder, ".staging"))).toEqual([]);
  });

  test("in place of an object is neither read nor written", async () => {
    const content = contentOf(bytes);
    const current = dirname(await put(driver, bytes));
    const key = `${current}/${content.sha256}-${content.generation}`;
    symlinkSync(join(outside, "secret"), join(folder, key));
    await expectUnavailable(driver.open(key, { size: bytes.length }));
    expect(await driver.stat(key)).toBeNull();
    const staging = await driver.stage(newId());
    await staging.append(inChunks(bytes));
    expect(await staging.finish(content)).toBe(key);
    expect(await readAll(await driver.open(key, { size: bytes.length }))).toEqual(bytes);
    expect(readFileSync(join(outside, "secret"))).toEqual(Buffer.from(bytes));
    await driver.remove(key);
  });

  test("in place of a staging file or folder is not followed", async () => {
    for (const size of SIZES) {
      const id = newId();
      symlinkSync(join(outside, "made"), join(folder, ".staging", id));
      const staging = await driver.stage(id);
      const storing = staging
        .append(inChunks(bytesOf(size)))
        .then(() => staging.finish(contentOf(bytesOf(size))));
      await expectUnavailable(storing);
      await staging.abort();
      expect(existsSync(join(outside, "made"))).toBe(false);
      rmSync(join(folder, ".staging", id), { force: true });
    }
    rmSync(join(folder, ".staging"), { recursive: true });
    symlinkSync(outside, join(folder, ".staging"));
    for (const size of SIZES) {
      await expectUnavailable(put(driver, bytesOf(size)));
      await expectUnavailable(put(open(folder), bytesOf(size)));
    }
    expect(readdirSync(outside)).toEqual(["secret"]);
    rmSync(join(folder, ".staging"));
    mkdirSync(join(folder, ".staging"));
  });

  test("or a pipe in place of an object does not block a reader", async () => {
    const key = await put(driver, bytesOf(5, 9));
    rmSync(join(folder, key));
    expect(Bun.spawnSync(["mkfifo", join(folder, key)]).exitCode).toBe(0);
    await expectUnavailable(driver.open(key, { size: 5 }));
    await expectUnavailable(driver.open(key, { size: 0 }));
  });
});
