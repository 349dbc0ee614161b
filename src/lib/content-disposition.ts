/**
 * The Content-Disposition header (RFC 6266): `filename` for old clients, with `_` for what they may misread, and the
 * whole name as `filename*` (RFC 8187). The name must have no control characters. Some clients decode `=?`, the begin of
 * an encoded word.
 */
export function contentDisposition(type: "attachment" | "inline", name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_").replaceAll("=?", "__");
  return `${type}; filename="${plain}"; filename*=UTF-8''${encode(name)}`;
}

/** encodeURIComponent leaves four reserved characters. */
const encode = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
