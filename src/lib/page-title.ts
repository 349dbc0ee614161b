/**
 * The title of an HTML page, from its first bytes. The scan passes tags from left to right and skips what may hold a
 * `<title>` that is none: comments, scripts, styles and pictures. Each step searches forward from the last one, so the
 * time is linear.
 */
import { asciiLower } from "./ascii-lower.ts";
import { isLegibleText } from "./file-name.ts";
import { REORDERING } from "./text-direction.ts";

const LONGEST = 200;
/** Of the raw text: entities and blanks make it shorter. */
const MOST_RAW = 4_000;
const SKIPPED = ["script", "style", "noscript", "template", "svg", "textarea", "iframe"];
/** Where the declaration of an encoding stands (HTML standard, "prescan"). */
const DECLARATION_BYTES = 1_024;

/** Null without a title that shows something. @param type the header Content-Type */
export function pageTitle(bytes: Buffer, type: string | null): string | null {
  const kind = asciiLower(type ?? "text/html");
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\b/.test(kind)) return null;
  const page = decoded(bytes, kind);
  const raw = rawTitle(page, asciiLower(page));
  return raw === null ? null : legible(withoutEntities(raw));
}

function decoded(bytes: Buffer, type: string): string {
  const start = asciiLower(bytes.toString("latin1", 0, DECLARATION_BYTES));
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb;
  const declaration = start
    .split("<meta")
    .slice(1)
    .map((tag) => tag.split(">", 1)[0]!)
    .find((tag) => tag.includes("charset"));
  const label = charsetIn(type) ?? (isMarked ? "utf-8" : charsetIn(declaration ?? ""));
  try {
    return new TextDecoder((label ?? "utf-8") as "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** What follows `charset=`, with or without quotes. */
function charsetIn(text: string): string | undefined {
  const at = text.indexOf("charset=");
  return at === -1 ? undefined : /[\w:.-]+/.exec(text.slice(at + "charset=".length))?.[0];
}

/** @param lower the page in lower case, of the same length */
function rawTitle(page: string, lower: string): string | null {
  for (let at = lower.indexOf("<"); at !== -1; at = lower.indexOf("<", at)) {
    if (lower.startsWith("<!--", at)) at = after(lower, "-->", at);
    else if (isTag(lower, at, "title")) {
      const from = after(lower, ">", at);
      const to = lower.indexOf("</title", from);
      return to === -1 ? null : page.slice(from, Math.min(to, from + MOST_RAW));
    } else if (isTag(lower, at, "body")) return null;
    else {
      const skipped = SKIPPED.find((name) => isTag(lower, at, name));
      at = skipped === undefined ? at + 1 : after(lower, `</${skipped}`, at);
    }
  }
  return null;
}

/** The end of the text if it does not follow. */
function after(page: string, text: string, from: number): number {
  const at = page.indexOf(text, from);
  return at === -1 ? page.length : at + text.length;
}

const isTag = (page: string, at: number, name: string): boolean =>
  page.startsWith(name, at + 1) && /[\s/>]/.test(page[at + 1 + name.length] ?? "");

/** Those that titles have, each after its name. */
const NAMED = [
  "amp& lt< gt> quot\" apos' ndash– mdash— hellip… middot· bull• copy© reg® trade™ euro€",
  "laquo« raquo» lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„",
  "aumlä oumlö uumlü AumlÄ OumlÖ UumlÜ szligß agraveà acircâ ccedilç eacuteé egraveè ecircê eumlë icircî iumlï",
  "ocircô oeligœ ugraveù ucircû ntildeñ aacuteá iacuteí oacuteó uacuteú EacuteÉ aringå oslashø aeligæ",
];
const ENTITIES = new Map([
  ["nbsp", " "],
  ["shy", ""],
  ...NAMED.flatMap((line) =>
    line.split(" ").map((one): [string, string] => [one.slice(0, -1), one.slice(-1)]),
  ),
]);
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));?/g;
const LAST_CODE_POINT = 0x10ffff;

const withoutEntities = (text: string): string =>
  text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return point > 0 && point <= LAST_CODE_POINT ? String.fromCodePoint(point) : "";
  });

const REORDERS = new RegExp(`[${REORDERING}]`, "g");

function legible(text: string): string | null {
  const title = text
    .toWellFormed()
    .replace(REORDERS, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const characters = [...title];
  const short =
    characters.length > LONGEST
      ? `${characters
          .slice(0, LONGEST - 1)
          .join("")
          .trim()}…`
      : title;
  return isLegibleText(short) ? short : null;
}
