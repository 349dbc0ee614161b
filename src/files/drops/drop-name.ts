/**
 * Makes valid names from those of strangers: removes characters that names can't contain, and replaces those that some
 * system refuses. The rest stays, so that people recognise their file.
 */
import { cleanFileName } from "../../lib/file-name.ts";
import { REORDERING } from "../../lib/text-direction.ts";
import { cutToBytes, splitName } from "../tree/free-name.ts";

const MOST_BYTES = 255;
const MOST_UNITS = 8 * MOST_BYTES;
const PERSON_CHARACTERS = 80;
const UNNAMED = "file";
/** Folders around a file. */
const MOST_FOLDERS = 16;
const MOST_PATH_UNITS = (MOST_FOLDERS + 1) * MOST_UNITS;

/** Controls, and characters that hide or reorder text. */
const HIDDEN = new RegExp(String.raw`[\p{Cc}${REORDERING}\ufeff\u2028\u2029]`, "gu");
const REFUSED_BY_WINDOWS = /[<>:"|?*]/g;
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Windows drops dots and blanks at the end. */
const DOT_ENDS = /(?<![\s.])[\s.]+$/u;
/** Old browsers send the whole path. */
const WINDOWS_FOLDERS = /^(?:[A-Za-z]:|\\\\).*\\/su;
const INVISIBLE = /[\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A name that checkFileName takes, without folders. */
export function dropName(given: string): string {
  const last = given.slice(-MOST_UNITS).toWellFormed().split("/").at(-1)!.replace(WINDOWS_FOLDERS, "");
  const plain = last.replace(HIDDEN, "").normalize("NFC").replace(REFUSED_BY_WINDOWS, "_");
  const clean = cleanFileName(plain).replace(DOT_ENDS, "");
  const named = DEVICES.test(clean) ? `_${clean}` : clean;
  const [stem, extension] = splitName(named);
  const name = cutToBytes(stem, MOST_BYTES - Buffer.byteLength(extension)).trim() + extension;
  return ["", ".", ".."].includes(name.replaceAll(INVISIBLE, "")) ? UNNAMED : name;
}

/** A path with slashes as a name and the folders around it. `folders` is null if there are more than 16. */
export function dropPath(given: string): { name: string; folders: string[] | null } {
  const above = given.slice(0, MOST_PATH_UNITS).split("/");
  if (given.length > MOST_PATH_UNITS || above.length > 2 * MOST_FOLDERS)
    return { name: UNNAMED, folders: null };
  const last = above.pop()!;
  const folders = above.filter((part) => !["", ".", ".."].includes(part.trim())).map(dropName);
  return { name: dropName(last), folders: folders.length > MOST_FOLDERS ? null : folders };
}

/** One line of visible text; null without any. */
export function personName(given: string | null | undefined): string | null {
  const line = (given ?? "")
    .slice(0, 4 * MOST_UNITS)
    .toWellFormed()
    .replace(HIDDEN, " ")
    .normalize("NFC")
    .replace(/\s+/gu, " ")
    .trim();
  const name = [...line].slice(0, PERSON_CHARACTERS).join("").trim();
  return name.replaceAll(INVISIBLE, "") === "" ? null : name;
}
