import { expect, test } from "bun:test";
import { dataFolderPath, isDatabaseFile, isExcluded, outsidePath } from "./manifest.ts";

const manifest = { outside: [{ policy_id: 3, base_path: "/mnt/big" }] };

test.each([
  ["outside/3/ab/cd/abcd0123.42", "ab/cd/abcd0123.42"],
  ["outside/3/.waymark-0123-ab", ".waymark-0123-ab"],
])("%s maps to the folder of its policy", (path, key) => {
  expect(outsidePath(path, manifest)).toEqual({ basePath: "/mnt/big", key });
});

test.each([
  "outside/4/ab/cd/abcd.1",
  "outside/3/../../etc/passwd",
  "outside/3/ab/cd/..",
  "outside/3/ab/cd/../x",
  "outside/3/ab/cd/",
  "outside/3/waymark.db",
  "outside/3/.staging/x",
  "outside/3/ab/cd/abcd.1\n",
  "outside//ab/cd/abcd.1",
  "files/ab/cd/abcd.1",
])("%j is not a path below outside/", (path) => {
  expect(outsidePath(path, manifest)).toBeNull();
});

test("a path below files/ maps to the data folder", () => {
  expect(dataFolderPath("files/secret.key")).toBe("secret.key");
  expect(dataFolderPath("outside/3/ab/cd/abcd.1")).toBeNull();
});

test("database, journals, locks and restores are excluded, similar names are not", () => {
  const out = ["journal", "processes", ".restore", "waymark.db", "waymark.db-wal", "waymark.db.replaced-shm"];
  for (const name of out) expect(isExcluded(`/data/${name}`, "/data")).toBe(true);
  const kept = [
    "secret.key",
    "media.tmp",
    "old.restoring",
    "x/journal",
    "waymark.db.bak",
    "journals",
    ".staging",
  ];
  for (const name of kept) expect(isExcluded(`/data/${name}`, "/data")).toBe(false);
  expect(isDatabaseFile("/srv/links.db-journal", "/srv/links.db")).toBe(true);
  expect(isDatabaseFile("/srv/links.db-reserve", "/srv/links.db")).toBe(true);
  expect(isDatabaseFile("/srv/links.db2", "/srv/links.db")).toBe(false);
});
