/** Files and folders as they come from the desktop: whole trees, empty folders too. */
import { readDropped } from "../../../../src/lib/chosen-files.ts";
import type { FileSource } from "./upload-record.ts";

export type IncomingFile = {
  file: File;
  /** Names of the folders around it. */
  folders: readonly string[];
  source: FileSource | null;
  sourcePath: readonly string[];
};
export type Incoming = {
  files: IncomingFile[];
  folders: (readonly string[])[];
  /** Paths of what the browser can't read. */
  unreadable: string[];
};

type Item = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSource | null> };

/** From a file chooser. A chooser for folders gives paths. */
export function chosenFiles(files: readonly File[]): Incoming {
  const found = files.map((file) => ({
    file,
    folders: file.webkitRelativePath.split("/").slice(0, -1),
    source: null,
    sourcePath: [],
  }));
  return {
    files: found,
    folders: found.map(({ folders }) => folders).filter(({ length }) => length > 0),
    unreadable: [],
  };
}

/** Call it during the drop event: afterwards browsers forget the files. */
export async function droppedFiles(transfer: DataTransfer): Promise<Incoming> {
  const items = [...transfer.items].filter(({ kind }) => kind === "file") as Item[];
  const roots = items.map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
    source: item.getAsFileSystemHandle?.().catch(() => null) ?? null,
  }));
  const incoming: Incoming = { files: [], folders: [], unreadable: [] };
  for (const { entry, file, source } of roots) {
    const handle = await source;
    if (entry !== null) {
      await readDropped(entry, {
        file(one, folders) {
          const sourcePath = [...folders.slice(1), one.name];
          incoming.files.push({ file: one, folders, source: handle, sourcePath });
        },
        folder: (names) => incoming.folders.push(names),
        unreadable: (names) => incoming.unreadable.push(names.join("/")),
      });
    } else if (file !== null) incoming.files.push({ file, folders: [], source: handle, sourcePath: [] });
  }
  return incoming;
}
