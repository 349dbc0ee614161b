/** What a file is, as far as its type is told: for the header Content-Type, and whether a browser may show it. */

const UNKNOWN_TYPE = "application/octet-stream";

/** RFC 6838's restricted names, which fit into a column of 255 bytes together. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
const EXTENSION = /.\.([a-z0-9]{1,20})$/i;

/** The type the client says, unless that is none: then the one that files with such a name have. */
export function mediaTypeOf(claimed: string | undefined, name: string): string {
  if (claimed !== undefined && claimed !== UNKNOWN_TYPE && TYPE.test(claimed)) return claimed;
  const extension = EXTENSION.exec(name)?.[1];
  if (extension === undefined) return UNKNOWN_TYPE;
  // The runtime's own table; nothing is opened.
  return Bun.file(`x.${extension}`).type.replace(/;.*/s, "") || UNKNOWN_TYPE;
}

const SHOWN =
  /^(?:image\/(?:png|apng|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|text\/plain|application\/pdf)$/;
/** None of them is XML, which could hold a program. */
const PLAYED = /^(?:audio|video)\/[a-z0-9.-]+$/;

/** Whether a browser may show it in place: nothing that could run. */
export const isShownInline = (mediaType: string): boolean => SHOWN.test(mediaType) || PLAYED.test(mediaType);

/** For the header: text without a charset would be read in the client's local one. */
export const contentTypeOf = (mediaType: string): string =>
  mediaType === "text/plain" ? "text/plain; charset=utf-8" : mediaType;
