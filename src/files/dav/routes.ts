/**
 * WebDAV (RFC 4918, classes 1 and 2) over the trees of files. It stands beside the tables of endpoints, because OpenAPI
 * has no names for its methods.
 */
import { type HttpContext, requireScope } from "../../http/endpoint.ts";
import { hasLongBody } from "../../http/read-body.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";
import { type DavDeps, type DavMethod, davPlaceOf, xmlAnswer } from "./asking.routes.ts";
import { fixed } from "./checks.ts";
import { hrefOf, namesIn } from "./places.ts";
import { get, propfind } from "./reads.routes.ts";
import { copy, lock, makeFolder, move, proppatch, put, remove, unlock } from "./writes.routes.ts";

const READS: Readonly<Record<string, DavMethod>> = { GET: get, HEAD: get, PROPFIND: propfind };
const WRITES: Readonly<Record<string, DavMethod>> = {
  PUT: put,
  DELETE: remove,
  MKCOL: makeFolder,
  COPY: copy,
  MOVE: move,
  PROPPATCH: proppatch,
  LOCK: lock,
  UNLOCK: unlock,
};
const ALLOW = ["OPTIONS", ...Object.keys(READS), ...Object.keys(WRITES)].join(", ");

/** Answers everything at and below the prefix. */
export const createDav = (deps: DavDeps) => ({
  prefix: deps.prefix,
  async answer(c: HttpContext): Promise<Response> {
    const names = namesIn(new URL(c.req.raw.url).pathname, deps.prefix) ?? [];
    try {
      return await answer(deps, c, names);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return refusalOf(deps, c, names, error);
    }
  },
});

async function answer(deps: DavDeps, c: HttpContext, names: readonly string[]): Promise<Response> {
  const { method } = c.req;
  deps.refuseForeign(c);
  if (method === "OPTIONS") {
    return new Response(null, { headers: { DAV: "1, 2", Allow: ALLOW, "MS-Author-Via": "DAV" } });
  }
  const reads = Object.hasOwn(READS, method);
  const run = reads ? READS[method] : Object.hasOwn(WRITES, method) ? WRITES[method] : undefined;
  if (run === undefined) throw appError("MethodNotAllowed", `This address allows ${ALLOW}.`);
  const caller = await deps.identify(c);
  requireScope(caller, reads ? "files:read" : "files:write");
  const place = await davPlaceOf(deps, caller, names, reads);
  if (place === null && !reads) throw fixed();
  return run(deps, { c, caller, names, place });
}

/** Conditions of RFC 4918 are XML; others are thrown. */
function refusalOf({ prefix }: DavDeps, c: HttpContext, names: readonly string[], error: AppError): Response {
  if (error.name === "MethodNotAllowed")
    throw appError(error.name, error.message, { details: { allow: ALLOW } });
  if (error.name === "FolderNotFound") throw appError("Conflict", error.message);
  const dav = error.details?.["dav"] as { condition: string; path?: string } | undefined;
  if (dav === undefined) throw error;
  if (hasLongBody(c.req.raw)) c.env.cut();
  const top = names.slice(0, names[0] === "teams" ? 2 : 1);
  const path = dav.path ? dav.path.split("/") : [];
  const href = escapeXml(hrefOf(prefix, [...top, ...path], false));
  const content = dav.path === undefined ? "" : `<D:href>${href}</D:href>`;
  const text = `<D:error xmlns:D="DAV:"><D:${dav.condition}>${content}</D:${dav.condition}></D:error>`;
  return xmlAnswer(text, Number(error.details?.["status"]));
}
