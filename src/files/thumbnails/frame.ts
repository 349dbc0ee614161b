/** What the server and the process that makes thumbnails send each other: a length of four bytes, then the bytes. */
export const MAKER_COMMAND = "make-thumbnails";

export const HEAD_BYTES = 4;
/** The largest picture. With its pixels it stays below the memory of the process. */
export const MOST_SOURCE_BYTES = 32 * 1024 * 1024;
/** The largest thumbnail. Real ones have some tens of kilobytes. */
export const MOST_THUMBNAIL_BYTES = 512 * 1024;

export function headOf(length: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(HEAD_BYTES);
  new DataView(head.buffer).setUint32(0, length);
  return head;
}

export const lengthIn = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
