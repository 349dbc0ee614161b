/**
 * A header value with parameters: `form-data; name="a"; filename="b"`. Names are lower-cased; the first of each counts,
 * but a readable `filename*` (RFC 8187) wins. In quotes a backslash escapes only a quote or a backslash, because old
 * browsers send Windows paths.
 */
export type ParameterHeader = { value: string; parameters: ReadonlyMap<string, string> };

const PARAMETER = /;[ \t]*([^\s;="]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"\s]+))/gy;
const SPACE = /[ \t]*/y;
const EXTENDED = /^(utf-8|iso-8859-1)'[^']*'(.*)$/is;

export function parseHeaderParameters(text: string): ParameterHeader {
  const end = text.indexOf(";");
  const value = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
  const plain = new Map<string, string>();
  const extended = new Map<string, string>();
  for (let at = end; at >= 0 && at < text.length; ) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) break;
    const [, key = "", quoted, token = ""] = match;
    const name = key.toLowerCase();
    const given = quoted === undefined ? token : quoted.replace(/\\(["\\])/g, "$1");
    if (!name.endsWith("*")) setOnce(plain, name, given);
    else setOnce(extended, name.slice(0, -1), decodeExtended(given));
    SPACE.lastIndex = PARAMETER.lastIndex;
    SPACE.exec(text);
    at = SPACE.lastIndex;
  }
  return { value, parameters: new Map([...plain, ...extended]) };
}

function setOnce(map: Map<string, string>, name: string, value: string | null): void {
  if (value !== null && !map.has(name)) map.set(name, value);
}

function decodeExtended(text: string): string | null {
  const [, charset = "", coded = ""] = EXTENDED.exec(text) ?? [];
  if (charset === "") return null;
  const bytes = Buffer.from(
    coded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  return bytes.toString(charset.toLowerCase() === "utf-8" ? "utf8" : "latin1");
}
