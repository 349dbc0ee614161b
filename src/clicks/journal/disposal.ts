import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export const quarantineOf = (journalDir: string): string => join(journalDir, "quarantine");

/** The removal survives a power cut. A missing file is fine. */
export async function removeSegment(path: string): Promise<void> {
  await rm(path, { force: true });
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Never replaces a file. Returns the new path. */
export async function quarantineSegment(path: string, journalDir: string): Promise<string> {
  const dir = quarantineOf(journalDir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const kept = join(dir, `${basename(dirname(path))}-${randomUUID()}-${basename(path)}`);
  await rename(path, kept);
  return kept;
}
