/**
 * What the server and the process that makes thumbnails send each other: a length of four bytes, then the bytes. Of a
 * picture four more bytes have the longer side of what is made of it.
 */
export const MAKER_COMMAND = "make-thumbnails";
/** The argument of the process that decodes HEIC and AVIF. */
export const HEIF_MAKER = "heif";

export const HEAD_BYTES = 4;
export const PICTURE_HEAD_BYTES = 8;
/** The largest picture. With its pixels it stays below the memory of the process. */
export const MOST_SOURCE_BYTES = 32 * 1024 * 1024;
/** The largest thumbnail or preview. Real ones have some tens or hundreds of kilobytes. */
export const MOST_THUMBNAIL_BYTES = 2 * 1024 * 1024;

/** Each number in four bytes. */
export function headOf(...numbers: readonly number[]): Uint8Array<ArrayBuffer> {
  const head = new DataView(new ArrayBuffer(4 * numbers.length));
  for (const [index, number] of numbers.entries()) head.setUint32(4 * index, number);
  return new Uint8Array(head.buffer);
}

export const lengthIn = (bytes: Uint8Array): number => numberIn(bytes, 0);
export const sideIn = (bytes: Uint8Array): number => numberIn(bytes, 4);

const numberIn = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
