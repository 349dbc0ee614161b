/**
 * WebDAV (RFC 4918, classes 1 and 2) over the trees of files. It stands beside the tables of endpoints, because OpenAPI
 * has no names for its methods.
 */
import { type Caller, type HttpContext, requireScope } from "../../platform/http/endpoint.ts";
import { hasLongBody } from "../../platform/http/read-body.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";
import {
  type Above,
  type DavDeps,
  type DavRead,
  type DavWrite,
  davPlaceOf,
  tokenPath,
  xmlResponse,
  headerOf,
  XML_TYPE,
  xmlBody,
} from "./asking.routes.ts";
import { readIf, tokensOf, there } from "./checks.ts";
import { namesIn, type DavPlace, folderOf, hrefOf, pathInside, pathOf } from "./places.ts";
import { copy, lock, makeFolder, move, proppatch, put, remove, unlock } from "./writes.routes.ts";
import type { Clock } from "../../lib/clock.ts";
import { TEAM_MARK } from "../../lib/owner.ts";
import type { Entry } from "../../files/tree/entry.ts";
import type { Files } from "../../files/tree/files.service.ts";
import type { Cursor, Folders } from "../../files/tree/folders.service.ts";
import { covers, type DavLocks } from "./locks.ts";
import {
  activeLock,
  type DeadProperties,
  propertiesOf,
  type RequestedProperties,
  parseRequestedProperties,
} from "./properties.ts";
import { streamResponse } from "../../platform/http/stream-pages.ts";
import { downloadOf } from "../../files/tree/download.routes.ts";
import { davStart } from "./xml.ts";

const PAGE = 100;

type ListingDeps = {
  folders: Pick<Folders, "page">;
  files: Pick<Files, "usage">;
  locks: Pick<DavLocks, "of">;
  properties: DeadProperties;
  clock: Clock;
};

type PropfindRequest = { entry: Entry; requested: RequestedProperties; isDeep: boolean };

/** Lists an entry of a tree, and with `isDeep` what is in that folder. */
async function* entriesAt(deps: ListingDeps, place: DavPlace, { entry, requested, isDeep }: PropfindRequest) {
  const { root, tree } = place;
  const [path, now] = [pathOf(place), deps.clock.now()];
  const held = (await deps.locks.of(tree)).map((taken) => ({ ...taken, xml: activeLock(taken, root, now) }));
  // Tokens of one folder learn nothing of the rest.
  const usage = place.fixed === undefined ? await deps.files.usage(tree) : null;
  async function responses(all: readonly Entry[], at: (entry: Entry) => string) {
    const dead = await deps.properties.of(all.map(({ id }) => id));
    const texts = all.map((one) => {
      const around = held.filter((taken) => covers(taken, at(one)));
      const shown = { entry: one, href: hrefOf(root, at(one), one.kind), dead: dead.get(one.id) ?? [] };
      const locks = around.map(({ xml }) => xml).join("");
      return propertiesOf({ ...shown, locks, usage: one.kind === "folder" ? usage : null }, requested);
    });
    return texts.join("");
  }
  yield await responses([entry], () => path);
  if (entry.kind !== "folder" || !isDeep) return;
  for (let after: Cursor | null = null, isMore = true; isMore; isMore = after !== null) {
    const page = await deps.folders.page(tree, entry, after, PAGE);
    after = page.next;
    yield await responses([...page.folders, ...page.files], ({ name }) =>
      pathInside(path, encodeURIComponent(name)),
    );
  }
}

async function* entriesAbove(
  { root, names, inside }: Above,
  { requested, isDeep }: Omit<PropfindRequest, "entry">,
) {
  for (const path of [names, ...(isDeep ? inside.map((name) => [...names, name]) : [])]) {
    const href = hrefOf(root, pathOf({ names: path }), "folder");
    yield propertiesOf({ entry: folderOf(path.at(-1)), href, dead: [], locks: "", usage: null }, requested);
  }
}

/** Your files and the teams, or the teams; for an API token of one folder the way there. */
async function foldersAbove({ trees }: DavDeps, names: readonly string[], caller: Caller) {
  const { teams } = caller;
  const bound = await tokenPath(trees, caller);
  if (bound !== null) return [bound.path[names.length]!];
  if (names.length === 0) return ["files", "teams"];
  const owners = await Promise.all([...(teams?.keys() ?? [])].map(trees.nameOfOwner));
  return owners.map((name) => name.replace(TEAM_MARK, ""));
}

const get: DavRead = async ({ spotOf, files, download, logger }, { c, place }) => {
  const entry = place === null ? null : there((await spotOf(place)).entry);
  if (entry?.kind !== "file") return new Response("A folder for WebDAV clients.\n");
  return download(await files.current(entry), { ...downloadOf(c, logger), inline: false, isRelayed: true });
};

const propfind: DavRead = async (deps, { c, caller, names, place, above }) => {
  const { prefix, logger } = deps;
  const depth = headerOf(c, "Depth", "infinity", "1", "0");
  const requested = parseRequestedProperties(await xmlBody(deps, c));
  const entry = place === null ? null : there((await deps.spotOf(place)).entry);
  // Before the response begins.
  if (entry?.kind === "folder") await deps.folders.refresh(entry);
  if (depth === "infinity" && entry?.kind !== "file") {
    throw appError("Forbidden", "Ask with Depth: 0 or 1.", {
      details: { status: 403, dav: { condition: "propfind-finite-depth" } },
    });
  }
  const isDeep = depth === "1";
  const entries =
    place === null
      ? entriesAbove(above ?? { root: prefix, names, inside: await foldersAbove(deps, names, caller) }, {
          requested,
          isDeep,
        })
      : entriesAt(deps, place, { entry: entry!, requested, isDeep });
  const pages = documentOf(entries);
  const body = isDeep
    ? await streamResponse(c, pages, { logger, failure: "a list of files was cut off" })
    : (await Array.fromAsync(pages)).join("");
  return new Response(body, { status: 207, headers: { "Content-Type": XML_TYPE } });
};

/** The first page has the first response, so that earlier errors get a proper response. */
async function* documentOf(responses: AsyncIterable<string>): AsyncGenerator<string, void> {
  let start = davStart("multistatus");
  for await (const some of responses) {
    yield start + some;
    start = "";
  }
  yield "</D:multistatus>\n";
}

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
const METHODS_ABOVE = ["OPTIONS", "PROPFIND"];

/** An address above the prefix, which has the next one. */
function placeAbove({ env }: HttpContext, path: string, prefix: string): Above {
  const [names, all] = [path, prefix].map((text) => text.split("/").filter((name) => name !== ""));
  return { root: env.prefix(), names: names!, inside: [all![names!.length]!] };
}

/** Responds to everything at and below the prefix, and to what clients ask above it. */
export const createDav = (given: DavDeps) => ({
  prefix: given.prefix,
  methodsAbove: METHODS_ABOVE,
  async respond(c: HttpContext): Promise<Response> {
    // Clients know the addresses below the path of a proxy, which takes it off those of requests only.
    const deps = { ...given, prefix: c.env.prefix() + given.prefix };
    deps.refuseForeign(c);
    const { method } = c.req;
    const { pathname } = new URL(c.req.raw.url);
    const names = namesIn(pathname, given.prefix);
    if (method === "OPTIONS") {
      // The root has pages of its own.
      const above = [...(pathname === "/" ? ["GET", "HEAD"] : []), ...METHODS_ABOVE].join(", ");
      const Allow = names === null ? above : ALLOW;
      return new Response(null, { headers: { DAV: "1, 2", Allow, "MS-Author-Via": "DAV" } });
    }
    const reads = Object.hasOwn(READS, method);
    if (!reads && !Object.hasOwn(WRITES, method)) throw notAllowed(`This address allows ${ALLOW}.`);
    const caller = await deps.identify(c);
    requireScope(caller, reads ? "files:read" : "files:write");
    const place = await davPlaceOf(deps, caller, names ?? [], reads);
    try {
      if (names === null) {
        return await propfind(deps, {
          c,
          caller,
          names: [],
          place,
          above: placeAbove(c, pathname, given.prefix),
        });
      }
      if (reads) return await READS[method]!(deps, { c, caller, names, place });
      const isFixed =
        place === null || (place.names.length <= (place.fixed ?? 0) && !Object.hasOwn(LOCKS, method));
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
  if (hasLongBody(c.req)) c.env.cut();
  const href = dav.path === undefined ? "" : `<D:href>${escapeXml(`${root}/${dav.path}`)}</D:href>`;
  const content = `<D:${dav.condition}>${href}</D:${dav.condition}>`;
  return xmlResponse("error", content, Number(error.details?.["status"]));
}
