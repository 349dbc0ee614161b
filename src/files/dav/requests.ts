/** Headers of WebDAV requests, and bodies of LOCK. */
import { appError } from "../../lib/errors.ts";
import { DAV, davChild, innerXml, type XmlElement } from "./xml.ts";

const MOST_SECONDS = 3600;
const DEFAULT_SECONDS = 600;

const MOST_OWNER_CHARACTERS = 1_024;

/** @throws BadRequest */
export function readDepth(given: string | undefined): "0" | "1" | "infinity" {
  const depth = given?.trim().toLowerCase() ?? "infinity";
  if (depth === "0" || depth === "1" || depth === "infinity") return depth;
  throw appError("BadRequest", "The header Depth must be 0, 1 or infinity.");
}

/** @throws BadRequest */
export function readOverwrite(given: string | undefined): boolean {
  const text = given?.trim().toUpperCase() ?? "T";
  if (text === "T" || text === "F") return text === "T";
  throw appError("BadRequest", "The header Overwrite must be T or F.");
}

/** At most an hour. Clients refresh their locks. */
export function readTimeout(given: string | undefined): number {
  for (const one of given?.split(",", 8) ?? []) {
    if (one.trim().toLowerCase() === "infinite") return MOST_SECONDS;
    const seconds = /^second-(\d{1,10})$/i.exec(one.trim())?.[1];
    if (seconds !== undefined) return Math.min(Math.max(Number(seconds), 1), MOST_SECONDS);
  }
  return DEFAULT_SECONDS;
}

/** The path of an address. Its host does not count: proxies change it. @throws BadRequest */
export function readAddress(given: string | undefined, header: string): string {
  const url = given === undefined ? null : URL.parse(given.trim(), "http://localhost");
  if (url !== null && !url.pathname.includes("\\")) return url.pathname;
  throw appError("BadRequest", `The header ${header} must be an address.`);
}

/** @throws BadRequest */
export function readLock(body: XmlElement, depth: string | undefined) {
  const scope = davChild(body, "lockscope");
  const isShared = scope !== undefined && davChild(scope, "shared") !== undefined;
  const isKnown = isShared || (scope !== undefined && davChild(scope, "exclusive") !== undefined);
  const isDeep = readDepth(depth) !== "0";
  if (body.ns !== DAV || body.name !== "lockinfo" || !isKnown || depth?.trim() === "1") {
    throw appError("BadRequest", "Send a lockinfo with a lockscope, and Depth 0 or infinity.");
  }
  const given = davChild(body, "owner");
  const owner = given === undefined ? "" : `<D:owner>${innerXml(given)}</D:owner>`;
  if (owner.length > MOST_OWNER_CHARACTERS)
    throw appError("BadRequest", "The owner of the lock is too long.");
  return { isShared, isDeep, owner };
}
