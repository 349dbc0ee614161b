import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { open, rename, rm, mkdir } from "node:fs/promises";
import { join, basename, dirname } from "node:path";
import { encodeHeader, PAGE_BYTES, SEGMENT_SUFFIX, type SegmentHeader } from "./format.ts";

/** A segment mapped for writing. */
export type Segment = SegmentHeader & { path: string; words: Int32Array };

const UNFINISHED_SUFFIX = ".tmp";
const SLICE = new Uint8Array(256 * 1024);

type SegmentPlan = {
  dir: string;
  /** Order within a folder. */
  sequence: number;
  bytes: number;
  instance: string;
  createdAt: number;
};

/** File threads write the blocks in slices. A failure (full disk) rejects and leaves no file. */
export async function prepareSegment(plan: SegmentPlan): Promise<Segment> {
  const uuid = randomUUID();
  const header = { ...plan, uuid, seed: Number.parseInt(uuid.slice(0, 8), 16) };
  const path = join(plan.dir, `${String(plan.sequence).padStart(10, "0")}${SEGMENT_SUFFIX}`);
  const unfinished = path + UNFINISHED_SUFFIX;
  try {
    const file = await open(unfinished, "w", 0o600);
    try {
      for (let at = 0; at < plan.bytes; at += SLICE.length) {
        const length = Math.min(SLICE.length, plan.bytes - at);
        const { bytesWritten } = await file.write(SLICE, 0, length, at);
        if (bytesWritten < length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
      }
      await file.write(encodeHeader(header), 0, PAGE_BYTES, 0);
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    const bytes = Bun.mmap(path, { shared: true });
    return { ...header, path, words: new Int32Array(bytes.buffer, bytes.byteOffset, plan.bytes / 4) };
  } catch (error) {
    await rm(unfinished, { force: true });
    await rm(path, { force: true });
    throw error;
  }
}

/** Oldest first; none if the folder is gone. */
export function listSegments(dir: string): string[] {
  return entries(dir)
    .filter((name) => name.endsWith(SEGMENT_SUFFIX))
    .sort()
    .map((name) => join(dir, name));
}

/** Left by a process that crashed while preparing. */
export function listUnfinished(dir: string): string[] {
  return entries(dir)
    .filter((name) => name.endsWith(SEGMENT_SUFFIX + UNFINISHED_SUFFIX))
    .map((name) => join(dir, name));
}

export const sequenceOf = (path: string): number =>
  Number.parseInt(path.slice(path.lastIndexOf("/") + 1), 10);

function entries(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

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
