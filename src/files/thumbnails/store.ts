/**
 * Thumbnails and previews as files of the data folder, named by the blob. An empty one means that the picture has none. They are
 * made again when they are missing, so nothing here is a loss: no sync, no backup, no quota.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { chunked } from "../../lib/chunked.ts";

/** A preview is larger, and there is one of pictures that browsers can't show. */
export type Rendition = "thumbnail" | "preview";

export type ThumbnailStore = ReturnType<typeof createThumbnailStore>;

type Deps = {
  folder: string;
  /** Those of these blobs that are held by a file. */
  liveOf(ids: readonly number[]): Promise<ReadonlySet<number>>;
  mostBytes: number;
  clock: Clock;
};

const PARTS = 256;
const CHUNK = 1_000;
const DAY_MS = 86_400_000;
const PREVIEW_END = "-preview";

function blobIdIn(name: string): number | null {
  const digits = name.endsWith(PREVIEW_END) ? name.slice(0, -PREVIEW_END.length) : name;
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}

export function createThumbnailStore({ folder, liveOf, mostBytes, clock }: Deps) {
  const folderOf = (blobId: number): string => join(folder, (blobId % PARTS).toString(16).padStart(2, "0"));
  const pathOf = (blobId: number, rendition: Rendition): string =>
    join(folderOf(blobId), rendition === "preview" ? `${blobId}${PREVIEW_END}` : String(blobId));

  const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => []);
  const remove = (path: string): Promise<void> => rm(path, { force: true, recursive: true });

  /** Removes those of removed blobs and old left-overs; returns the rest. */
  async function sweepPart(path: string) {
    const kept: { path: string; size: number; at: number }[] = [];
    for (const names of chunked(await namesIn(path), CHUNK)) {
      const live = await liveOf([...new Set(names.map(blobIdIn).filter((id) => id !== null))]);
      for (const name of names) {
        const file = join(path, name);
        const info = await stat(file).catch(() => null);
        if (info === null) continue;
        const isOld = clock.now() - info.mtimeMs > DAY_MS;
        const id = blobIdIn(name);
        if (id === null || info.size === 0 ? isOld : !live.has(id)) await remove(file);
        else kept.push({ path: file, size: info.size, at: info.mtimeMs });
      }
    }
    return kept;
  }

  return {
    /** Undefined: unknown. Null: it has none. */
    async find(
      blobId: number,
      rendition: Rendition = "thumbnail",
    ): Promise<Uint8Array<ArrayBuffer> | null | undefined> {
      const bytes = await Bun.file(pathOf(blobId, rendition))
        .bytes()
        .catch(() => undefined);
      return bytes?.length === 0 ? null : bytes;
    },

    /** Never rejects: on a full disk it is made again. */
    async put(blobId: number, bytes: Uint8Array | null, rendition: Rendition = "thumbnail"): Promise<void> {
      const draft = join(folderOf(blobId), `${crypto.randomUUID()}.new`);
      try {
        await mkdir(folderOf(blobId), { recursive: true, mode: 0o700 });
        await writeFile(draft, bytes ?? new Uint8Array(0), { mode: 0o600 });
        await rename(draft, pathOf(blobId, rendition));
      } catch {
        await remove(draft).catch(() => {});
      }
    },

    async remove(blobId: number): Promise<void> {
      for (const rendition of ["thumbnail", "preview"] as const)
        await remove(pathOf(blobId, rendition)).catch(() => {});
    },

    /** Removes those without a blob, and the oldest above the bound. */
    async sweep(): Promise<void> {
      const kept = [];
      for (const part of await namesIn(folder)) kept.push(...(await sweepPart(join(folder, part))));
      let bytes = kept.reduce((sum, { size }) => sum + size, 0);
      for (const { path, size } of kept.toSorted((a, b) => a.at - b.at)) {
        if (bytes <= mostBytes) return;
        await remove(path);
        bytes -= size;
      }
    },
  };
}
