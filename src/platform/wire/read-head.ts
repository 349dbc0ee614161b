/** Parses the head of a request, strictly: what two servers could read in two ways is refused. RFC 9110, RFC 9112. */
import { Arrival, type ArrivalContext, CHUNKED } from "./arrival.ts";
import { type FramingFields, hasForbidden, indexFields, isToken } from "./head-fields.ts";

/** Bytes of a whole head. */
export const MOST_HEAD_BYTES = 16 * 1024;

/** What to respond to a head that can't be taken. */
export type BadHead = 400 | 431 | 505;

const CURRENT = " HTTP/1.1\r\n";
const OLD = " HTTP/1.0\r\n";
const OTHER = /^ HTTP\/\d\.\d\r\n$/;
/** What a target that is read in one way only has none of, or has in its query or in names of files. */
const SUSPECT = /[\t\n\\#%]|\/\./;
const DOT_SEGMENT = /(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;
const SLASH = 47;
const HOST = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])?(?::\d{0,5})?$/;
/** Most hosts, never an IPv4 address. The URL parser judges others. */
const NAME = /^(?:[\w-]+\.)+[a-z][\w-]*$/i;
/** A name of DNS with its last dot, and a port. */
const MOST_HOST_CHARACTERS = 260;
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;
const DIGITS = /^\d{1,15}$/;
const UNCLEAR = -2;

/** @param text the head with its last empty line */
export function readHead(text: string, context: ArrivalContext): Arrival | BadHead {
  if (text.length > MOST_HEAD_BYTES) return 431;
  if (hasForbidden(text)) return 400;
  const methodEnd = text.indexOf(" ");
  const targetEnd = text.indexOf(" ", methodEnd + 1);
  if (methodEnd < 0 || targetEnd <= methodEnd + 1) return 400;
  let minor = 1;
  if (!text.startsWith(CURRENT, targetEnd)) {
    if (!text.startsWith(OLD, targetEnd))
      return OTHER.test(text.slice(targetEnd, targetEnd + CURRENT.length)) ? 505 : 400;
    minor = 0;
  }
  if (!isToken(text, 0, methodEnd)) return 400;
  const fieldsStart = targetEnd + CURRENT.length;
  const framing = indexFields(text, fieldsStart);
  if (framing === null || framing.hosts > 1 || (framing.hosts === 0 && minor === 1)) return 400;
  const bodyLength = bodyLengthOf(framing, minor);
  if (bodyLength === UNCLEAR) return 400;
  const method = text.slice(0, methodEnd);
  let target = text.slice(methodEnd + 1, targetEnd);
  let { host } = framing;
  if (method === "CONNECT" || (host !== null && !isHost(host))) return 400;
  if (target.charCodeAt(0) !== SLASH) {
    const place = placeOf(method, target, host);
    if (place === null) return 400;
    ({ target, host } = place);
    if (host !== null && !isHost(host)) return 400;
  }
  if (SUSPECT.test(target) && isUnclear(target)) return 400;
  const isPersistent =
    framing.connection === null ? minor === 1 : persists(framing.connection.toLowerCase(), minor);
  return new Arrival(context, text, fieldsStart, method, target, host, minor, bodyLength, isPersistent);
}

/** Or empty. */
const isHost = (host: string): boolean =>
  host.length <= MOST_HOST_CHARACTERS &&
  (NAME.test(host) || (HOST.test(host) && (host === "" || URL.canParse(`http://${host}`))));

/**
 * A proxy in front may read another path than the URL parser, which turns backslashes into slashes, resolves dot
 * segments, also escaped ones, and drops tabs, line ends and what follows `#`.
 */
function isUnclear(target: string): boolean {
  const query = target.indexOf("?");
  const path = query < 0 ? target : target.slice(0, query);
  return /[\t\n#]/.test(target) || path.includes("\\") || DOT_SEGMENT.test(path);
}

/** Reads a target that is not a path. Null: refused. */
function placeOf(method: string, target: string, host: string | null) {
  if (target === "*") return method === "OPTIONS" ? { target, host } : null;
  const absolute = ABSOLUTE.exec(target);
  if (absolute === null || absolute[1] === "") return null;
  const rest = absolute[2]!;
  return { target: rest.startsWith("/") ? rest : `/${rest}`, host: absolute[1]! };
}

/** RFC 9112, section 6. A length beside a coding, and lengths that differ, are how requests are smuggled. */
function bodyLengthOf({ coding, length }: FramingFields, minor: number): number {
  if (coding !== null) {
    if (minor === 0 || length !== null) return UNCLEAR;
    return coding.toLowerCase() === "chunked" ? CHUNKED : UNCLEAR;
  }
  if (length === null) return 0;
  return DIGITS.test(length) ? Number(length) : UNCLEAR;
}

function persists(connection: string, minor: number): boolean {
  if (connection === "keep-alive") return true;
  const options = connection.split(",").map((option) => option.trim());
  return !options.includes("close") && (minor === 1 || options.includes("keep-alive"));
}
