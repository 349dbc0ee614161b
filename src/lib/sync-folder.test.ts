import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { syncFolder, syncFolderNow } from "./sync-folder.ts";

test("a folder is synced, even through a link; a file and a missing folder are refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-sync-"));
  try {
    symlinkSync(folder, join(folder, "link"));
    writeFileSync(join(folder, "file"), "");
    for (const path of [folder, join(folder, "link")]) {
      await syncFolder(path);
      syncFolderNow(path);
    }
    for (const [name, code] of [
      ["file", "ENOTDIR"],
      ["missing", "ENOENT"],
    ]) {
      const path = join(folder, name!);
      await expect(syncFolder(path)).rejects.toMatchObject({ code });
      expect(() => syncFolderNow(path)).toThrow(code);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
