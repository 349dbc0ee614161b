import { appError } from "../../lib/errors.ts";

const MAP_FORM = 'Write --map such as code=Short,target="Long URL".';

/** `code=Short,target="Long URL"`: with quotes around a whole pair, or around the name of a column. */
export function mapOf(text: string | undefined): Record<string, string> {
  const pairs: string[] = [];
  let isQuoted = false;
  for (const part of (text ?? "").split(",")) {
    if (isQuoted) pairs.push(`${pairs.pop()},${part}`);
    else pairs.push(part);
    if (part.split('"').length % 2 === 0) isQuoted = !isQuoted;
  }
  if (isQuoted) throw appError("BadRequest", MAP_FORM);
  const given = pairs.map((pair) => pair.replaceAll('"', "").trim()).filter((pair) => pair !== "");
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw appError("BadRequest", MAP_FORM);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
