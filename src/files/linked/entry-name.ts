/** The name that a tree shows for one on the disk: the same one where that is allowed. */
import { bytesOfName } from "../storage/linked/beneath.ts";
import { checkFileName, cleanFileName } from "../../lib/file-name.ts";
import { REORDERING } from "../../lib/text-direction.ts";
import { cutToBytes, splitName } from "../tree/free-name.ts";

const MOST_BYTES = 255;
const REFUSED = new RegExp(String.raw`[\p{Cc}${REORDERING}/]`, "gu");

/** Different names on a disk may have the same one here; number them (tree/free-name.ts). */
export function shownNameOf(diskName: string): string {
  const text = bytesOfName(diskName).toString();
  return allowed(text) ?? allowed(mended(text)) ?? "_";
}

function allowed(name: string): string | null {
  try {
    return checkFileName(name);
  } catch {
    return null;
  }
}

function mended(text: string): string {
  const clean = cleanFileName(text.toWellFormed().replace(REFUSED, "_").normalize("NFC"));
  const [stem, extension] = splitName(clean);
  return cutToBytes(stem, MOST_BYTES - Buffer.byteLength(extension)).trimEnd() + extension;
}
