/** What lies below a folder is opened, and nothing else, in one call and step by step. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesOfName, nameOfBytes, openBeneath, openRoot } from "./beneath.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "waymark-beneath-")));
const folder = join(top, "root");
let root: number;

const mounted = join(folder, "mounted");
const mount = (...given: string[]): boolean =>
  Bun.spawnSync(["mount", ...given], { stderr: "ignore" }).success;

beforeAll(() => {
  mkdirSync(join(folder, "inside", "deep"), { recursive: true });
  writeFileSync(join(folder, "inside", "deep", "file"), "file");
  mkdirSync(join(top, "outside"));
  writeFileSync(join(top, "outside", "file"), "secret");
  symlinkSync("../outside", join(folder, "up"));
  symlinkSync(join(top, "outside", "file"), join(folder, "link"));
  symlinkSync("inside", join(folder, "around"));
  root = openRoot(folder);
});
afterAll(() => {
  closeSync(root);
  rmSync(top, { recursive: true, force: true });
});

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return String((error as { code?: string }).code);
  }
  return "none";
};

describe.each([true, false])("at once: %p", (atOnce) => {
  const open = (...names: string[]) => openBeneath(root, names, "file", { atOnce });
  const read = (fd: number): string => {
    const text = readFileSync(fd, "utf8");
    closeSync(fd);
    return text;
  };

  test("files are opened by their names", () => {
    expect(read(open("inside", "deep", "file"))).toBe("file");
    expect(codeOf(() => open("inside", "none"))).toBe("ENOENT");
  });

  test.each([
    [["link"]],
    [["up", "file"]],
    [["around", "deep", "file"]],
    [["..", "outside", "file"]],
    [["inside", "..", "..", "outside", "file"]],
    [["."]],
    [[""]],
    [["inside/../../outside/file"]],
    [["inside\0", "deep"]],
    [["/etc", "passwd"]],
    [["/2e2e", "outside", "file"]],
  ])("%j leads nowhere", (names) => {
    expect(["EINVAL", "ELOOP", "ENOTDIR", "ENOENT"]).toContain(codeOf(() => open(...names)));
  });

  test("a folder that is swapped for a link meanwhile never leads outside", () => {
    mkdirSync(join(folder, "swapped"));
    writeFileSync(join(folder, "swapped", "file"), "file");
    for (let n = 0; n < 200; n++) {
      renameSync(join(folder, "swapped"), join(folder, "kept"));
      symlinkSync(join(top, "outside"), join(folder, "swapped"));
      expect(codeOf(() => open("swapped", "file"))).toBe("ENOTDIR");
      rmSync(join(folder, "swapped"));
      renameSync(join(folder, "kept"), join(folder, "swapped"));
      expect(read(open("swapped", "file"))).toBe("file");
    }
    rmSync(join(folder, "swapped"), { recursive: true });
  });

  test("mounts are not entered, of another file system or of this one", () => {
    mkdirSync(mounted, { recursive: true });
    for (const given of [
      ["-t", "tmpfs", "none", mounted],
      ["--bind", join(top, "outside"), mounted],
    ]) {
      // Only root mounts.
      if (!mount(...given)) return;
      try {
        writeFileSync(join(mounted, "file"), "secret");
        expect(codeOf(() => open("mounted", "file"))).toBe("EXDEV");
        expect(codeOf(() => openBeneath(root, ["mounted"], "folder", { atOnce }))).toBe("EXDEV");
      } finally {
        Bun.spawnSync(["umount", mounted]);
      }
    }
  });

  test("a hard link is a file like others", () => {
    rmSync(join(folder, "hard"), { force: true });
    linkSync(join(folder, "inside", "deep", "file"), join(folder, "hard"));
    expect(read(open("hard"))).toBe("file");
  });
});

test("a folder behind a link is no root", () => {
  symlinkSync(folder, join(top, "way"));
  expect(codeOf(() => openRoot(join(top, "way")))).toBe("ENOTDIR");
  expect(codeOf(() => openRoot(join(top, "way", "inside")))).toBe("ENOTDIR");
});

test("names keep their bytes", () => {
  for (const bytes of [
    Buffer.from("é"),
    Buffer.from([0xff, 0x2f]),
    Buffer.from("e\u0301"),
    Buffer.from("\n"),
  ])
    expect(bytesOfName(nameOfBytes(bytes))).toEqual(bytes);
  expect(nameOfBytes(Buffer.from([0xff]))).toBe("/ff");
});
