/**
 * After a reload some uploads lack their bytes, because the browser could not keep them. Choosing the same file
 * continues them.
 */
import { allItems } from "./upload-list.ts";
import { isSameFile } from "./upload-source.ts";
import { giveFile } from "./uploads.ts";

/** Returns whether an upload waited for this file. */
export function giveAgain(file: File): boolean {
  const item = allItems().find(
    ({ state, record }) =>
      (state === "again" || state === "asks") &&
      record.path.split("/").at(-1) === file.name.normalize("NFC") &&
      isSameFile(file, record),
  );
  if (item !== undefined) giveFile(item.record.id, file);
  return item !== undefined;
}
