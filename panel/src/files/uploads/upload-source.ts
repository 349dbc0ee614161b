import type { UploadRecord } from "./upload-record.ts";

export const isSameFile = (file: File, { size, lastModified }: UploadRecord): boolean =>
  file.size === size && file.lastModified === lastModified;

/**
 * Reads the file from its place on disk. Null if the browser has no such place, may not read it, or it changed. @param
 * mayAsk true during a click
 */
export async function sourceFile(record: UploadRecord, mayAsk: boolean): Promise<File | null> {
  const { source, sourcePath } = record;
  if (source === null) return null;
  try {
    const requested = { mode: "read" } as const;
    const known = await source.queryPermission?.(requested);
    const permission = known === "prompt" && mayAsk ? await source.requestPermission?.(requested) : known;
    if (permission !== "granted") return null;
    const file = await (await handleOf(source, sourcePath)).getFile();
    return isSameFile(file, record) ? file : null;
  } catch {
    return null;
  }
}

async function handleOf(source: FileSystemHandle, path: readonly string[]): Promise<FileSystemFileHandle> {
  if (source.kind === "file") return source as FileSystemFileHandle;
  let folder = source as FileSystemDirectoryHandle;
  for (const name of path.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
  return folder.getFileHandle(path.at(-1)!);
}
