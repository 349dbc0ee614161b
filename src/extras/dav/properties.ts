/** Properties of entries: those that follow from the entry, and those that clients store with it. */
import { formatHttpDate } from "../../lib/conditional-request.ts";
import { appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";
import { readModifiedAt } from "../../lib/modified-at.ts";
import { type Entry, validatorsOf } from "../../files/tree/entry.ts";
import { contentTypeOf } from "../../files/tree/media-type.ts";
import type { DavLock } from "./locks.ts";
import type { JsonLists } from "./dav.repository.ts";
import { davChild, type XmlElement } from "./xml.ts";

/** Name (see xml.ts) and the element as XML. */
export type DeadProperty = readonly [name: string, xml: string];
export type DeadProperties = JsonLists<DeadProperty>;

/** One entry in a response. */
export type Shown = {
  entry: Entry;
  href: string;
  dead: readonly DeadProperty[];
  /** Those that cover it, as XML. */
  locks: string;
  /** The usage of the tree; null for files. */
  usage: { usedBytes: number; quotaBytes: number } | null;
};

/** Names of properties, or those that an entry has, with or without their contents. */
export type RequestedProperties = "all" | "names" | readonly string[];

const MOST_STORED_CHARACTERS = 16_384;

const lockEntry = (scope: string): string =>
  `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`;
const SUPPORTED_LOCKS = lockEntry("exclusive") + lockEntry("shared");

/** Their contents as XML by name. Null: the entry has none. */
const LIVE = new Map(
  Object.entries<(shown: Shown) => string | null>({
    resourcetype: ({ entry }) => (entry.kind === "folder" ? "<D:collection/>" : ""),
    displayname: ({ entry }) => escapeXml(entry.name) || null,
    creationdate: ({ entry }) => (entry.createdAt === 0 ? null : new Date(entry.createdAt).toISOString()),
    getlastmodified: ({ entry }) =>
      entry.updatedAt === 0 ? null : formatHttpDate(validatorsOf(entry).modifiedAt),
    getcontentlength: ({ entry }) => (entry.kind === "file" ? String(entry.size) : null),
    getcontenttype: ({ entry }) => (entry.kind === "file" ? escapeXml(contentTypeOf(entry.mimeType)) : null),
    getetag: ({ entry }) => validatorsOf(entry).etag || null,
    supportedlock: () => SUPPORTED_LOCKS,
    lockdiscovery: ({ locks }) => locks,
    "quota-used-bytes": ({ usage }) => usage && String(usage.usedBytes),
    "quota-available-bytes": ({ usage }) =>
      usage?.quotaBytes ? String(Math.max(usage.quotaBytes - usage.usedBytes, 0)) : null,
  }).map(([name, contentOf]) => [`<D:${name}/>`, contentOf]),
);

/** What clients set the time of a file's content by. Nothing asks for it. */
const TIME = "<D:lastmodified/>";

/** The server sets it. */
export const isProtected = ({ name, xml }: PropertyChange, kind: Entry["kind"]): boolean =>
  LIVE.has(name) || (name === TIME && (kind === "folder" || xml === null));

/** `root`: of the tree. */
export const activeLock = (lock: DavLock, root: string, now: number): string =>
  `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${lock.isShared ? "shared" : "exclusive"}/></D:lockscope>` +
  `<D:depth>${lock.isDeep ? "infinity" : "0"}</D:depth>${lock.owner}` +
  `<D:timeout>Second-${Math.ceil((lock.expiresAt - now) / 1000)}</D:timeout>` +
  `<D:locktoken><D:href>${lock.token}</D:href></D:locktoken>` +
  `<D:lockroot><D:href>${escapeXml(`${root}/${lock.path}`)}</D:href></D:lockroot></D:activelock>`;

/** Parses the body of a PROPFIND; no body asks for all properties. @throws BadRequest */
export function parseRequestedProperties(body: XmlElement | null): RequestedProperties {
  if (body === null) return "all";
  if (body.name === "<D:propfind/>") {
    const prop = davChild(body, "prop");
    if (prop !== undefined) return [...new Set(prop.children.map(({ name }) => name))];
    if (davChild(body, "propname")) return "names";
    if (davChild(body, "allprop")) return "all";
  }
  throw appError("BadRequest", "The body must be a propfind that has prop, propname or allprop.");
}

export function propertiesOf(shown: Shown, requested: RequestedProperties): string {
  const dead = new Map(shown.dead);
  const valueOf = (name: string): string | undefined => {
    const content = LIVE.get(name)?.(shown) ?? null;
    return content === null ? dead.get(name) : `${name.slice(0, -2)}>${content}</${name.slice(1, -2)}>`;
  };
  const isListed = typeof requested === "object";
  let found = "";
  let missing = "";
  for (const name of isListed ? requested : [...LIVE.keys(), ...dead.keys()]) {
    const value = valueOf(name);
    if (value !== undefined) found += requested === "names" ? name : value;
    else if (isListed) missing += name;
  }
  const stats = found === "" && missing !== "" ? "" : propstat(found, "200 OK");
  return responseOf(shown.href, stats + (missing && propstat(missing, "404 Not Found")));
}

export const responseOf = (href: string, stats: string): string =>
  `<D:response><D:href>${escapeXml(href)}</D:href>${stats}</D:response>\n`;

export const propstat = (content: string, status: string, error = ""): string =>
  `<D:propstat><D:prop>${content}</D:prop><D:status>HTTP/1.1 ${status}</D:status>${error}</D:propstat>`;

/** A change of one property; `xml` is null if it is removed. */
export type PropertyChange = { name: string; xml: string | null; content: string };

/** Parses the body of a PROPPATCH, in order. @throws BadRequest */
export function readChanges(body: XmlElement | null): PropertyChange[] {
  const steps = body?.name === "<D:propertyupdate/>" ? body.children : [];
  const changes = steps.flatMap((step) => {
    const isSet = step.name === "<D:set/>";
    const given = isSet || step.name === "<D:remove/>" ? davChild(step, "prop")?.children : [];
    return (given ?? []).map(({ name, xml, content }) => ({ name, xml: isSet ? xml : null, content }));
  });
  if (changes.length > 0) return changes;
  throw appError("BadRequest", "The body must be a propertyupdate that sets or removes properties.");
}

/** The time that is set last. @throws BadRequest */
export const changedTime = (changes: readonly PropertyChange[]): number | undefined =>
  readModifiedAt("lastmodified", changes.findLast(({ name }) => name === TIME)?.content);

/** @throws 507 */
export function changed(dead: readonly DeadProperty[], changes: readonly PropertyChange[]): DeadProperty[] {
  const next = new Map(dead);
  for (const { name, xml } of changes) {
    if (name === TIME) continue;
    if (xml === null) next.delete(name);
    else next.set(name, xml);
  }
  const all = [...next];
  if (JSON.stringify(all).length <= MOST_STORED_CHARACTERS) return all;
  throw appError(
    "InsufficientStorage",
    `An entry keeps at most ${MOST_STORED_CHARACTERS} characters of properties.`,
  );
}
