/**
 * Files that a person has chosen in a browser, for the panel and for pages of visitors. Those pages have the text of
 * these functions in their scripts, so a function uses nothing of this file.
 */

/** Browsers say of a file that changed or went since it was chosen only that the request failed. */
export async function isAsChosen(file: Blob): Promise<boolean> {
  try {
    const end = await (file.size > 0 ? file.slice(file.size - 1) : file).arrayBuffer();
    return end.byteLength === Math.min(file.size, 1);
  } catch {
    return false;
  }
}

type Found = {
  /** `folders`: names of those around it. */
  file(file: File, folders: readonly string[]): void;
  folder(names: readonly string[]): void;
  /** A file or folder that the browser can't read. */
  unreadable(names: readonly string[]): void;
};

/** Walks what was dropped. What can't be read is named, and the rest goes on. */
export async function readDropped(root: FileSystemEntry, found: Found): Promise<void> {
  const walk = async (entry: FileSystemEntry, folders: readonly string[]): Promise<void> => {
    const names = [...folders, entry.name];
    try {
      if (entry.isFile) {
        const given = entry as FileSystemFileEntry;
        found.file(await new Promise<File>((resolve, reject) => given.file(resolve, reject)), folders);
        return;
      }
      found.folder(names);
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      // Each call returns some entries, the last one none.
      for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
          reader.readEntries(resolve, reject),
        );
        if (some.length === 0) return;
        for (const child of some) await walk(child, names);
      }
    } catch {
      found.unreadable(names);
    }
  };
  await walk(root, []);
}
