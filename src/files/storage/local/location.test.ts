import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usedInDataFolder } from "../../../lib/data-folder.ts";
import { checkNewLocation, checkRealLocation, resolveBasePath } from "./location.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-location-")));
const dataDir = join(root, "data");
const rules = {
  dataDir,
  roots: [join(root, "allowed")],
  used: [...usedInDataFolder(dataDir), { path: join(root, "allowed", "logs", "w.log"), isFile: true }],
};
beforeAll(() => {
  mkdirSync(dataDir);
  for (const name of ["allowed", "elsewhere"]) mkdirSync(join(root, name));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const refusal = (basePath: string) => expect(checkNewLocation(basePath, rules)).rejects;

describe("a base path", () => {
  test.each([
    ["files", "/srv/waymark/files"],
    ["./files/", "/srv/waymark/files"],
    ["a/../b", "/srv/waymark/b"],
    ["/mnt/big", "/mnt/big"],
    ["/dev/shm/files", "/dev/shm/files"],
    ["..files", "/srv/waymark/..files"],
  ])("%s is %s", (path, folder) => {
    expect(resolveBasePath(path, { ...rules, dataDir: "/srv/waymark" })).toBe(folder);
  });

  test.each([
    "",
    ".",
    "/srv/waymark",
    "/srv/waymark/",
    "..",
    "../files",
    "/",
    "/proc",
    "/proc/self",
    "/sys/x",
    "/dev",
    "/dev/shm",
    "/dev/sda/x",
    "files\u0000",
    "fi\nles",
  ])("%j is refused", (path) => {
    expect(() => resolveBasePath(path, { ...rules, dataDir: "/srv/waymark" })).toThrow("base_path");
  });
});

describe("a new policy", () => {
  test.each([
    "files",
    "a/b/c",
    "journalism",
    "my.restore",
    "x/.restore",
    "x/journal",
    "waymark",
    "secret",
    "j\u00f6urnal",
    `${"deep/".repeat(300)}x`,
  ])("may be at %j", async (path) => {
    await checkNewLocation(path, rules);
    await checkNewLocation(join(dataDir, path), rules);
    await checkNewLocation(join(root, "allowed", path), rules);
  });

  test.each([
    ".restore",
    ".restore/x",
    "journal",
    "journal/0/x",
    "processes",
    "waymark.db",
    "waymark.db-journal",
    "waymark.db-wal/x",
    "waymark.db.replaced",
    "secret.key",
    "secret.key.0123456789abcdef",
    "./journal",
    "journal//",
    ".//journal",
    "files/../journal",
    "JOURNAL",
    "Secret.Key",
    ".Restore",
    "journal.",
    "journal. .",
    "journal /x",
    "\uff4aournal",
    "jour\u200bnal",
    "proce\u017fses",
  ])("can't be at %j, which the program uses", async (path) => {
    await refusal(path).toThrow("conflicts with");
    await refusal(join(dataDir, path)).toThrow("conflicts with");
    await refusal(`${dataDir}//${path}`).toThrow("conflicts with");
  });

  test("must not contain the program's own paths or those in the settings", async () => {
    await refusal(root).toThrow("conflicts with");
    await refusal(join(root, "allowed")).toThrow("'w.log'");
    await refusal(join(root, "allowed", "logs")).toThrow("'w.log'");
    await refusal(join(root, "allowed", "logs", "W.log.1")).toThrow("'w.log'");
    await checkNewLocation(join(root, "allowed", "logs2"), rules);
  });

  test("must be in the data folder or below a folder that the settings allow", async () => {
    await refusal(join(root, "elsewhere")).toThrow("storage.local_roots");
    await refusal(join(root, "allowed-not")).toThrow("storage.local_roots");
    await refusal(join(root, "allowed", "..", "elsewhere")).toThrow("storage.local_roots");
    await checkNewLocation(join(root, "allowed", "deep", "er"), rules);
    await expect(checkNewLocation(join(root, "allowed", "x"), { ...rules, roots: [] })).rejects.toThrow(
      "storage.local_roots",
    );
  });

  test("is checked behind symbolic links", async () => {
    symlinkSync(dataDir, join(root, "allowed", "to-data"));
    symlinkSync(join(dataDir, "secret.key"), join(dataDir, "to-key"));
    symlinkSync(join(root, "elsewhere"), join(dataDir, "out"));
    symlinkSync(join(root, "allowed"), join(dataDir, "fine"));
    symlinkSync("loop", join(dataDir, "loop"));
    await refusal("to-key").toThrow("'secret.key'");
    await refusal("to-key/x").toThrow("'secret.key'");
    await refusal(join(root, "allowed", "to-data")).toThrow("data folder itself");
    await refusal(join(root, "allowed", "to-data", "journal", "x")).toThrow("'journal'");
    await refusal("out").toThrow("storage.local_roots");
    await refusal("out/new/folder").toThrow("storage.local_roots");
    await refusal("loop/x").toThrow("is not accessible");
    await checkNewLocation("fine/x", rules);
    await checkNewLocation(join(root, "allowed", "to-data", "files"), rules);
    writeFileSync(join(dataDir, "a-file"), "");
    await checkNewLocation("a-file/x", rules);
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  test("is compared with the real data folder if that is a link", async () => {
    symlinkSync(dataDir, join(root, "linked-data"));
    const linked = {
      ...rules,
      dataDir: join(root, "linked-data"),
      used: usedInDataFolder(join(root, "linked-data")),
    };
    await checkNewLocation("files", linked);
    await expect(checkNewLocation("journal", linked)).rejects.toThrow("'journal'");
    await expect(checkNewLocation(join(dataDir, "journal"), { ...linked, roots: [root] })).rejects.toThrow(
      "'journal'",
    );
  });
});

test("a location that is forbidden today stays open, except through links into the program's own paths", async () => {
  for (const named of [join(root, "elsewhere"), join(dataDir, ".restore"), join(dataDir, "files")]) {
    await checkRealLocation(named, named, rules);
  }
  await expect(checkRealLocation(join(dataDir, "x"), join(dataDir, "journal"), rules)).rejects.toThrow(
    "'journal'",
  );
  await expect(checkRealLocation(join(dataDir, "x"), dataDir, rules)).rejects.toThrow("data folder itself");
});
