/** A reload leaves uploads without their bytes, where the browser could not keep them. The same file goes on. */
import { allItems } from "./upload-list.ts";
import { isSameFile } from "./upload-source.ts";
import { giveFile } from "./uploads.ts";

/** Whether an upload waited for it. */
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
