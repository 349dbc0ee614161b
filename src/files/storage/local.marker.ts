import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMissing, type LocalFolders, READ_FLAGS, syncFolder } from "./local.folders.ts";
import { MARKER } from "./object-key.ts";

const MARKER_BYTES = 1_024;

/** The marker is written whole before it gets its name. */
export async function claimFolder(
  folders: LocalFolders,
  installation: string,
  fresh: boolean,
): Promise<string | null> {
  const path = join(await folders.root(), MARKER);
  const owner = await readMarker(path);
  if (owner !== null || !fresh) return owner;
  const draft = await folders.forStaging(crypto.randomUUID());
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ installation })}\n`);
    await file.sync();
    await rename(draft, path);
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return readMarker(path);
}

async function readMarker(path: string): Promise<string | null> {
  try {
    const file = await open(path, READ_FLAGS);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MARKER_BYTES), 0, MARKER_BYTES, 0);
      const { installation } = JSON.parse(buffer.toString("utf8", 0, bytesRead)) as {
        installation?: unknown;
      };
      return String(installation);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
