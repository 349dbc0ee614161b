/**
 * WebDAV (RFC 4918, classes 1 and 2) over the trees of files. It stands beside the tables of endpoints, because OpenAPI
 * has no names for its methods.
 */
import { type HttpContext, requireScope } from "../../platform/http/endpoint.ts";
import { hasLongBody } from "../../platform/http/read-body.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";
import { type DavDeps, type DavRead, type DavWrite, davPlaceOf, xmlResponse } from "./asking.routes.ts";
import { readIf, tokensOf } from "./if-header.ts";
import { namesIn } from "./places.ts";
import { get, propfind } from "./reads.routes.ts";
import { copy, lock, makeFolder, move, proppatch, put, remove, unlock } from "./writes.routes.ts";

const READS: Readonly<Record<string, DavRead>> = { GET: get, HEAD: get, PROPFIND: propfind };
const LOCKS: Readonly<Record<string, DavWrite>> = { LOCK: lock, UNLOCK: unlock };
const WRITES: Readonly<Record<string, DavWrite>> = {
  PUT: put,
  DELETE: remove,
  MKCOL: makeFolder,
  COPY: copy,
  MOVE: move,
  PROPPATCH: proppatch,
  ...LOCKS,
};
const ALLOW = ["OPTIONS", ...Object.keys({ ...READS, ...WRITES })].join(", ");

/** Answers everything at and below the prefix. */
export const createDav = (given: DavDeps) => ({
  prefix: given.prefix,
  async answer(c: HttpContext): Promise<Response> {
    // Clients know the addresses below the path of a proxy, which takes it off those of requests only.
    const deps = { ...given, prefix: c.env.prefix() + given.prefix };
    deps.refuseForeign(c);
    const { method } = c.req;
    if (method === "OPTIONS") {
      return new Response(null, { headers: { DAV: "1, 2", Allow: ALLOW, "MS-Author-Via": "DAV" } });
    }
    const reads = Object.hasOwn(READS, method);
    if (!reads && !Object.hasOwn(WRITES, method)) throw notAllowed(`This address allows ${ALLOW}.`);
    const caller = await deps.identify(c);
    requireScope(caller, reads ? "files:read" : "files:write");
    const names = namesIn(new URL(c.req.raw.url).pathname, given.prefix) ?? [];
    const place = await davPlaceOf(deps, caller, names, reads);
    try {
      if (reads) return await READS[method]!(deps, { c, caller, names, place });
      const isFixed = place === null || (place.names.length === 0 && !Object.hasOwn(LOCKS, method));
      if (isFixed) throw notAllowed("This folder stays as it is.");
      const header = (name: string) => c.req.header(name);
      const conditions = readIf(header("If"));
      const holder = { callerId: caller.id, tokens: tokensOf(conditions) };
      return await WRITES[method]!(deps, { c, caller, place, header, conditions, ...holder });
    } catch (error) {
      if (error instanceof AppError) return refusalOf(c, error, place?.root ?? "");
      throw error;
    }
  },
});

const notAllowed = (message: string) => appError("MethodNotAllowed", message, { details: { allow: ALLOW } });

/** Conditions of RFC 4918 are XML; others are thrown. */
function refusalOf(c: HttpContext, error: AppError, root: string): Response {
  if (error.name === "MethodNotAllowed") throw notAllowed(error.message);
  if (error.name === "FolderNotFound") throw appError("Conflict", error.message);
  const dav = error.details?.["dav"] as { condition: string; path?: string } | undefined;
  if (dav === undefined) throw error;
  if (hasLongBody(c.req.raw)) c.env.cut();
  const href = dav.path === undefined ? "" : `<D:href>${escapeXml(`${root}/${dav.path}`)}</D:href>`;
  const content = `<D:${dav.condition}>${href}</D:${dav.condition}>`;
  return xmlResponse("error", content, Number(error.details?.["status"]));
}
