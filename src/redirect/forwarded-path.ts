/**
 * What follows the code of a link with `forward_path`, for the path of its target. A program behind the target may
 * decode a path several times, read a backslash as a slash, or ignore what follows a semicolon. Whatever could be read
 * as leading above the target's path, or to another host, is no path for it.
 */

/** Longer ones are not forwarded. */
const LONGEST = 8_192;
/** What is still encoded after so many times was made to deceive. */
const MOST_DECODED = 4;

/** @param rest from a request's path, after its code: begins with a slash. Null: the link does not lead there */
export function forwardedPath(rest: string): string | null {
  if (rest.length > LONGEST) return null;
  const path = rest.replaceAll(/\/{2,}/g, "/");
  let read = path;
  for (let times = 0; times <= MOST_DECODED; times++) {
    if (leadsElsewhere(read)) return null;
    const decoded = decodedOnce(read);
    if (decoded === read) return path;
    read = decoded;
  }
  return null;
}

/**
 * Joined by one slash, before the query and fragment of the target. Targets of other schemes than http and https have
 * no such path. @param beyond begins with a slash
 */
export function withPath(target: string, beyond: string): string {
  if (!/^https?:/i.test(target)) return target;
  const at = target.search(/[?#]/);
  const base = at === -1 ? target : target.slice(0, at);
  return (base.endsWith("/") ? base.slice(0, -1) : base) + beyond + target.slice(base.length);
}

/** Bytes as characters, which are all that slashes and dots need. */
const decodedOnce = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function leadsElsewhere(path: string): boolean {
  if (/^[/\\]{2}/.test(path)) return true;
  return path.split(/[/\\]/).some((segment) => {
    const [name = ""] = segment.split(";", 1);
    return /^\.{1,2}$/.test(name.replaceAll(/[\0-\x20\x7f]/g, ""));
  });
}
