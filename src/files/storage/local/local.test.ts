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
import { dirname, join } from "node:path";
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
} from "../driver.contract.ts";
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

describe("local files", () => {
  test("are readable by their owner only, and named by their content", async () => {
    const folder = join(root, "modes");
    const bytes = bytesOf(100);
    const staging = await open(folder).stage(newId());
    await staging.append(inChunks(bytes));
    const { sha256, generation } = contentOf(bytes);
    const key = await staging.finish({ sha256, generation });
    expect(key).toBe(`${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}.${generation}`);
    expect(statSync(join(folder, key)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(join(folder, key))).mode & 0o777).toBe(0o700);
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
      const storing = strict.stage(newId()).then((staging) => staging.append(inChunks(bytesOf(1))));
      await expect(storing).rejects.toThrow("base_path");
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
  const staging = await driver.stage(newId());
  await expectUnavailable(staging.append(inChunks(bytes)));
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
  const content = contentOf(bytes);
  const [outer, inner] = [content.sha256.slice(0, 2), content.sha256.slice(2, 4)];
  const name = `${content.sha256}.${content.generation}`;

  async function expectNoWay(): Promise<void> {
    const staging = await driver.stage(newId());
    await staging.append(inChunks(bytes));
    await expectUnavailable(staging.finish(content));
    await expectUnavailable(driver.open(`${outer}/${inner}/${name}`, { size: bytes.length }));
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(namesIn(join(folder, ".staging"))).toEqual([]);
  }

  test("in place of a folder is not followed", async () => {
    symlinkSync(outside, join(folder, outer));
    await expectNoWay();
    for await (const page of driver.listObjects()) {
      for (const { key } of page) expect(key.startsWith(outer)).toBe(false);
    }
    rmSync(join(folder, outer));
    mkdirSync(join(folder, outer));
    symlinkSync(outside, join(folder, outer, inner));
    await expectNoWay();
    rmSync(join(folder, outer), { recursive: true });
  });

  test("in place of an object is neither read nor written", async () => {
    mkdirSync(join(folder, outer, inner), { recursive: true });
    symlinkSync(join(outside, "secret"), join(folder, outer, inner, name));
    await expectUnavailable(driver.open(`${outer}/${inner}/${name}`, { size: bytes.length }));
    expect(await driver.stat(`${outer}/${inner}/${name}`)).toBeNull();
    const staging = await driver.stage(newId());
    await staging.append(inChunks(bytes));
    const key = await staging.finish(content);
    expect(await readAll(await driver.open(key, { size: bytes.length }))).toEqual(bytes);
    expect(readFileSync(join(outside, "secret"))).toEqual(Buffer.from(bytes));
    await driver.remove(key);
  });

  test("in place of a staging file or folder is not followed", async () => {
    const id = newId();
    symlinkSync(join(outside, "made"), join(folder, ".staging", id));
    const staging = await driver.stage(id);
    await expectUnavailable(staging.append(inChunks(bytes)));
    expect(existsSync(join(outside, "made"))).toBe(false);
    rmSync(join(folder, ".staging"), { recursive: true });
    symlinkSync(outside, join(folder, ".staging"));
    await expectUnavailable((await driver.stage(newId())).append(inChunks(bytes)));
    await expectUnavailable((await open(folder).stage(newId())).append(inChunks(bytes)));
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
