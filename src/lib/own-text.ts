// oxlint-disable-next-line no-control-regex -- all of one byte
const LATIN_1 = /^[\0-\xff]*$/;

/**
 * A copy that shares no memory. The runtime's `slice` keeps its whole source, so a kept part of a request would keep
 * its whole head.
 */
export function ownText(text: string): string {
  const encoding = LATIN_1.test(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}
