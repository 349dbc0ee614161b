/** Files and folders as they come from the desktop: whole trees, empty folders too. */
import type { FileSource } from "./upload-record.ts";

export type IncomingFile = {
  file: File;
  /** Names of the folders around it. */
  folders: readonly string[];
  source: FileSource | null;
  sourcePath: readonly string[];
};
export type Incoming = { files: IncomingFile[]; folders: (readonly string[])[] };

type Item = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSource | null> };

/** From a file chooser. A chooser for folders gives paths. */
export function chosenFiles(files: readonly File[]): Incoming {
  const found = files.map((file) => ({
    file,
    folders: file.webkitRelativePath.split("/").slice(0, -1),
    source: null,
    sourcePath: [],
  }));
  return { files: found, folders: found.map(({ folders }) => folders).filter(({ length }) => length > 0) };
}

/** Call it during the drop event: afterwards browsers forget the files. */
export async function droppedFiles(transfer: DataTransfer): Promise<Incoming> {
  const items = [...transfer.items].filter(({ kind }) => kind === "file") as Item[];
  const roots = items.map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
    source: item.getAsFileSystemHandle?.().catch(() => null) ?? null,
  }));
  const incoming: Incoming = { files: [], folders: [] };
  for (const { entry, file, source } of roots) {
    const handle = await source;
    if (entry !== null) await walk(entry, [], handle, incoming);
    else if (file !== null) incoming.files.push({ file, folders: [], source: handle, sourcePath: [] });
  }
  return incoming;
}

async function walk(
  entry: FileSystemEntry,
  folders: readonly string[],
  source: FileSource | null,
  incoming: Incoming,
): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    incoming.files.push({ file, folders, source, sourcePath: [...folders.slice(1), entry.name] });
    return;
  }
  const inside = [...folders, entry.name];
  incoming.folders.push(inside);
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // Each call returns some entries, the last one none.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return;
    for (const child of some) await walk(child, inside, source, incoming);
  }
}
