/**
 * The header Content-Disposition (RFC 6266) of a file, for names of any characters but controls: a plain `filename`
 * for old clients, in which whatever they might misread is `_`, and the whole name as `filename*` (RFC 8187).
 */
export function contentDisposition(type: "attachment" | "inline", name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  return `${type}; filename="${plain}"; filename*=UTF-8''${encode(name)}`;
}

/** encodeURIComponent leaves four characters alone that have a meaning there. */
const encode = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
