/** Properties of entries: those that follow from the entry, and those that clients store with it. */
import { lastModified } from "../../lib/conditional-request.ts";
import { appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";
import { contentTag, type Entry } from "../tree/entry.ts";
import { contentTypeOf } from "../tree/media-type.ts";
import type { DavLock } from "./locks.ts";
import { childrenOf, DAV, davChild, emptyXml, type XmlElement, type XmlName, xmlOf } from "./xml.ts";

/** Namespace, name, and the element as XML. */
export type DeadProperty = readonly [ns: string, name: string, xml: string];

/** One entry in an answer. */
export type Shown = {
  entry: Entry;
  href: string;
  /** That cover it. */
  locks: readonly DavLock[];
  /** Addresses of locks. */
  hrefOf(path: string): string;
  usage: { usedBytes: number; quotaBytes: number } | null;
  now: number;
};

type WantedProperty = XmlName & { live: ((shown: Shown) => string | null) | undefined; empty: string };
export type WantedProperties = "all" | "names" | readonly WantedProperty[];

const MOST_WANTED = 100;
/** Each entry of a folder repeats them. */
const MOST_WANTED_CHARACTERS = 4_096;
const MOST_CHANGES = 200;
const MOST_NAME = 255;
const MOST_STORED = 64;
const MOST_STORED_CHARACTERS = 16_384;

export const etagOf = (entry: Entry): string | null => (entry.kind === "file" ? contentTag(entry) : null);

/** As a download says. */
export const modifiedAt = (entry: Entry): number =>
  entry.kind === "file" ? entry.createdAt : entry.updatedAt;

/** Their content as XML. Null: the entry has none. */
const LIVE: Readonly<Record<string, (shown: Shown) => string | null>> = {
  resourcetype: ({ entry }) => (entry.kind === "folder" ? "<D:collection/>" : ""),
  displayname: ({ entry }) => (entry.name === "" ? null : escapeXml(entry.name)),
  creationdate: ({ entry }) => (entry.createdAt === 0 ? null : new Date(entry.createdAt).toISOString()),
  getlastmodified: ({ entry }) =>
    entry.updatedAt === 0 ? null : lastModified({ etag: "", modifiedAt: modifiedAt(entry) }),
  getcontentlength: ({ entry }) => (entry.kind === "file" ? String(entry.size) : null),
  getcontenttype: ({ entry }) => (entry.kind === "file" ? escapeXml(contentTypeOf(entry.mimeType)) : null),
  getetag: ({ entry }) => etagOf(entry),
  supportedlock: () => ["exclusive", "shared"].map(lockEntry).join(""),
  lockdiscovery: ({ locks, hrefOf, now }) =>
    locks.map((lock) => activeLock(lock, hrefOf(lock.path), now)).join(""),
  "quota-used-bytes": ({ entry, usage }) =>
    entry.kind === "folder" && usage !== null ? String(usage.usedBytes) : null,
  "quota-available-bytes": ({ entry, usage }) =>
    entry.kind === "folder" && usage !== null && usage.quotaBytes > 0
      ? String(Math.max(usage.quotaBytes - usage.usedBytes, 0))
      : null,
};

const QUOTA = /^quota-/;
export const isLive = ({ ns, name }: XmlName): boolean => ns === DAV && Object.hasOwn(LIVE, name);
export const asksQuota = (wanted: WantedProperties): boolean =>
  typeof wanted === "object" && wanted.some((one) => isLive(one) && QUOTA.test(one.name));

const lockEntry = (scope: string): string =>
  `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`;

export const activeLock = (lock: DavLock, href: string, now: number): string =>
  `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${lock.isShared ? "shared" : "exclusive"}/></D:lockscope>` +
  `<D:depth>${lock.isDeep ? "infinity" : "0"}</D:depth>${lock.owner}` +
  `<D:timeout>Second-${Math.max(Math.ceil((lock.expiresAt - now) / 1000), 0)}</D:timeout>` +
  `<D:locktoken><D:href>${lock.token}</D:href></D:locktoken><D:lockroot><D:href>${escapeXml(href)}</D:href></D:lockroot></D:activelock>`;

/** Of a PROPFIND; no body asks for all. @throws BadRequest */
export function readWanted(body: XmlElement | null): WantedProperties {
  if (body === null) return "all";
  if (body.ns !== DAV || body.name !== "propfind")
    throw appError("BadRequest", "The body must be a propfind.");
  if (davChild(body, "propname")) return "names";
  const prop = davChild(body, "prop");
  if (prop !== undefined) return distinctNames(childrenOf(prop));
  if (davChild(body, "allprop")) return "all";
  throw appError("BadRequest", "The propfind must have prop, propname or allprop.");
}

function distinctNames(given: readonly XmlName[]): WantedProperty[] {
  const wanted = new Map(given.map((one) => [emptyXml(one), one]));
  const characters = [...wanted.values()].reduce((sum, { ns, name }) => sum + ns.length + name.length, 0);
  if (wanted.size > MOST_WANTED || characters > MOST_WANTED_CHARACTERS) {
    throw appError(
      "BadRequest",
      `Ask for at most ${MOST_WANTED} properties at once, with ${MOST_WANTED_CHARACTERS} characters of names.`,
    );
  }
  return [...wanted].map(([empty, { ns, name }]) => {
    const live = isLive({ ns, name }) ? LIVE[name] : undefined;
    return { ns, name, live, empty };
  });
}

function checkName(ns: string, name: string): void {
  if (ns.length <= MOST_NAME && name.length <= MOST_NAME) return;
  throw appError("BadRequest", `Names and namespaces of properties have at most ${MOST_NAME} characters.`);
}

export function responseOf(shown: Shown, dead: readonly DeadProperty[], wanted: WantedProperties): string {
  const { found, missing } =
    typeof wanted === "string" ? every(shown, dead, wanted) : some(shown, dead, wanted);
  const stats = [
    ...(found === "" && missing !== "" ? [] : [propstat(found, "200 OK")]),
    ...(missing === "" ? [] : [propstat(missing, "404 Not Found")]),
  ];
  return `<D:response><D:href>${escapeXml(shown.href)}</D:href>${stats.join("")}</D:response>\n`;
}

export const propstat = (content: string, status: string, error = ""): string =>
  `<D:propstat><D:prop>${content}</D:prop><D:status>HTTP/1.1 ${status}</D:status>${error}</D:propstat>`;

function every(shown: Shown, dead: readonly DeadProperty[], wanted: "all" | "names") {
  const live = Object.keys(LIVE).flatMap((name) => {
    const content = QUOTA.test(name) ? null : LIVE[name]!(shown);
    return content === null ? [] : wanted === "all" ? element(name, content) : `<D:${name}/>`;
  });
  const stored = dead.map(([ns, name, xml]) => (wanted === "all" ? xml : emptyXml({ ns, name })));
  return { found: [...live, ...stored].join(""), missing: "" };
}

function some(shown: Shown, dead: readonly DeadProperty[], wanted: readonly WantedProperty[]) {
  let found = "";
  let missing = "";
  for (const { ns, name, live, empty } of wanted) {
    const content = live?.(shown) ?? null;
    const stored = dead.find((one) => one[0] === ns && one[1] === name)?.[2];
    if (content !== null) found += element(name, content);
    else if (stored === undefined) missing += empty;
    else found += stored;
  }
  return { found, missing };
}

const element = (name: string, content: string): string =>
  content === "" ? `<D:${name}/>` : `<D:${name}>${content}</D:${name}>`;

export type PropertyChange = XmlName & { xml: string | null };

/** Of a PROPPATCH, in order. @throws BadRequest */
export function readChanges(body: XmlElement | null): PropertyChange[] {
  if (body?.ns !== DAV || body.name !== "propertyupdate") {
    throw appError("BadRequest", "The body must be a propertyupdate.");
  }
  const changes = childrenOf(body).flatMap((step) => {
    if (step.ns !== DAV || !["set", "remove"].includes(step.name)) return [];
    const prop = davChild(step, "prop");
    return (prop === undefined ? [] : childrenOf(prop)).map((one) => {
      checkName(one.ns, one.name);
      return { ns: one.ns, name: one.name, xml: step.name === "set" ? xmlOf(one) : null };
    });
  });
  if (changes.length === 0 || changes.length > MOST_CHANGES) {
    throw appError("BadRequest", `A propertyupdate changes 1 to ${MOST_CHANGES} properties.`);
  }
  return changes;
}

/** @throws 507 */
export function changed(dead: readonly DeadProperty[], changes: readonly PropertyChange[]): DeadProperty[] {
  const next = new Map(dead.map((one) => [`${one[0]} ${one[1]}`, one]));
  for (const { ns, name, xml } of changes) {
    next.delete(`${ns} ${name}`);
    if (xml !== null) next.set(`${ns} ${name}`, [ns, name, xml]);
  }
  const all = [...next.values()];
  if (all.length <= MOST_STORED && JSON.stringify(all).length <= MOST_STORED_CHARACTERS) return all;
  throw appError(
    "InsufficientStorage",
    `An entry keeps at most ${MOST_STORED} properties of ${MOST_STORED_CHARACTERS} characters together.`,
  );
}
