/** What the methods of WebDAV share: who asks for what, headers, bodies and responses. */
import type { BodyMemory } from "../../platform/http/body-memory.ts";
import type { Caller, HttpContext } from "../../platform/http/endpoint.ts";
import { readText } from "../../platform/http/read-body.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { TEAM_MARK } from "../../lib/owner.ts";
import type { Trash } from "../../files/trash/service.ts";
import type { Copies } from "../../files/tree/copies.ts";
import type { Download } from "../../files/tree/download.routes.ts";
import type { Files } from "../../files/tree/files.service.ts";
import type { Folders } from "../../files/tree/folders.service.ts";
import type { Trees } from "../../files/tree/trees.ts";
import type { Uploads } from "../../files/uploads/service.ts";
import type { Overwriting } from "../../files/versions/overwriting.ts";
import type { createChecked, DavChange } from "./checks.ts";
import type { DavLocks } from "./locks.ts";
import { type DavPlace, nothing, type SpotOf } from "./places.ts";
import type { DeadProperties } from "./properties.ts";
import { davXml, parseXml, type XmlElement } from "./xml.ts";
import type { RemovalDeps } from "../../files/tree/removal.ts";
import { wholeResponse } from "../../lib/whole-response.ts";

export type DavDoor = {
  /** The start of all addresses, without a slash at the end. */
  prefix: string;
  /** @throws Unauthorized */
  identify(c: HttpContext): Promise<Caller>;
  /** @throws Forbidden for scripts of other sites */
  refuseForeign(c: HttpContext): void;
  bodies: BodyMemory;
};

export type DavDeps = DavDoor &
  Pick<RemovalDeps, "tree" | "clock" | "logger"> & {
    trees: Trees;
    spotOf: SpotOf;
    checked: ReturnType<typeof createChecked>;
    locks: DavLocks;
    properties: DeadProperties;
    files: Files;
    folders: Folders;
    uploads: Uploads;
    copies: Copies;
    overwriting: Overwriting;
    trash: Trash;
    download: Download;
  };

type RequestContext = { c: HttpContext; caller: Caller };
export type DavWrite = (deps: DavDeps, ask: DavChange & RequestContext) => Promise<Response>;
/** A folder above the trees, and the names in it. */
export type Above = { root: string; names: readonly string[]; inside: readonly string[] };
/** `place` is null above the trees, and `above` is set above the prefix. */
type Reading = RequestContext & { names: readonly string[]; place: DavPlace | null; above?: Above };
export type DavRead = (deps: DavDeps, ask: Reading) => Promise<Response>;

const MOST_BODY_BYTES = 32 * 1024;
export const XML_TYPE = 'application/xml; charset="utf-8"';

export async function xmlBody({ bodies }: DavDeps, c: HttpContext): Promise<XmlElement | null> {
  const reservation = bodies.enter();
  try {
    const source = { request: c.req.raw, reservation, cut: () => c.env.cut() };
    const text = await readText(source, MOST_BODY_BYTES);
    return text === "" ? null : parseXml(text);
  } finally {
    reservation.leave();
  }
}

export const xmlResponse = (name: string, content: string, status: number, headers = {}): Response =>
  wholeResponse(davXml(name, content), { status, headers: { "Content-Type": XML_TYPE, ...headers } });

/** One of the values in any case; default: the first. @throws BadRequest */
export function headerOf<T extends string>(c: HttpContext, name: string, ...values: readonly [T, ...T[]]): T {
  const given = c.req.header(name)?.trim().toLowerCase() ?? values[0].toLowerCase();
  const found = values.find((value) => value.toLowerCase() === given);
  if (found !== undefined) return found;
  throw appError("BadRequest", `The header ${name} must be ${values.join(" or ")}.`);
}

/**
 * The address of the folder to which the caller's token is bound, and what it is in; null without one.
 * @throws FileNotFound for one that is gone
 */
export async function tokenPath(trees: Trees, account: Caller) {
  const found = await trees.pathOfFolder({ account }).catch(() => {
    throw nothing();
  });
  if (found === null) return null;
  const { owner, names } = found;
  const top =
    owner === account.id ? ["files"] : ["teams", (await trees.nameOfOwner(owner)).replace(TEAM_MARK, "")];
  return { owner, top, path: [...top, ...names] };
}

/** Like davPlaceOf, for an API token of one folder. The folders above lead there. */
async function placeWithin(
  { trees, prefix }: DavDeps,
  account: Caller,
  { owner, top, path }: NonNullable<Awaited<ReturnType<typeof tokenPath>>>,
  { names, reads }: { names: readonly string[]; reads: boolean },
): Promise<DavPlace | null> {
  if (path.some((name, at) => at < names.length && names[at] !== name)) throw nothing();
  if (names.length < path.length) return null;
  const asking = { c: { req: { method: reads ? "GET" : "PUT" } }, account };
  await trees.ownerOf(asking, { entry: account.token!.folderId! });
  const root = [prefix, ...top.map(encodeURIComponent)].join("/");
  return { tree: owner, root, names: names.slice(top.length), fixed: path.length - top.length };
}

/** Finds the place in a tree; null for the folders above the trees. @throws FileNotFound, Forbidden */
export async function davPlaceOf(
  deps: DavDeps,
  account: Caller,
  all: readonly string[],
  reads: boolean,
): Promise<DavPlace | null> {
  const { trees, prefix } = deps;
  const bound = await tokenPath(trees, account);
  if (bound !== null) return placeWithin(deps, account, bound, { names: all, reads });
  const [kind, ...names] = all;
  if (kind === "files") return { tree: account.id, root: `${prefix}/files`, names };
  const [team, ...inTeam] = names;
  if (kind === undefined || (kind === "teams" && team === undefined)) return null;
  if (kind !== "teams") throw nothing();
  const asking = { c: { req: { method: reads ? "GET" : "PUT" } }, account };
  const tree = await trees.named(asking, { team: team! }).catch((error: unknown) => {
    // Viewers who write are refused without the field.
    const isHidden = (one: AppError) => one.name === "BadRequest" || one.faults?.[0]?.field === "owner";
    throw error instanceof AppError && isHidden(error) ? nothing() : error;
  });
  return { tree, root: `${prefix}/teams/${encodeURIComponent(team!)}`, names: inTeam };
}
