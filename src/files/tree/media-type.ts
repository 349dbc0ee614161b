export const UNKNOWN_TYPE = "application/octet-stream";

/** Types that say nothing of the content; curl sends the second one with any body. */
const UNSAID: readonly string[] = [UNKNOWN_TYPE, "application/x-www-form-urlencoded"];

/** Restricted names of RFC 6838. Both parts fit into 255 bytes. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
const EXTENSION = /.\.([a-z0-9]{1,20})$/i;

/** The client's type if it is valid and known, else by the name's extension. */
export function mediaTypeOf(claimed: string | undefined, name: string): string {
  if (claimed !== undefined && !UNSAID.includes(claimed) && TYPE.test(claimed)) return claimed;
  const extension = EXTENSION.exec(name)?.[1];
  if (extension === undefined) return UNKNOWN_TYPE;
  // The runtime's table. Opens no file.
  return Bun.file(`x.${extension}`).type.replace(/;.*/s, "") || UNKNOWN_TYPE;
}

const SHOWN =
  /^(?:image\/(?:png|apng|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|text\/plain|application\/pdf)$/;
/** No XML, which can hold scripts. */
const PLAYED = /^(?:audio|video)\/[a-z0-9.-]+$/;

/** Nothing that could run. */
export const isShownInline = (mediaType: string): boolean => SHOWN.test(mediaType) || PLAYED.test(mediaType);

/** Without a charset the client would guess one. */
export const contentTypeOf = (mediaType: string): string =>
  mediaType === "text/plain" ? "text/plain; charset=utf-8" : mediaType;
