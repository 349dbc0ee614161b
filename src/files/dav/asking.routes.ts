/** What the methods of WebDAV share: who asks for what, bodies and answers. */
import type { BodyMemory } from "../../http/body-memory.ts";
import type { Caller, HttpContext } from "../../http/endpoint.ts";
import { readText } from "../../http/read-body.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import type { Download } from "../tree/download.ts";
import { type Entry, ROOT } from "../tree/entry.ts";
import type { Trees } from "../tree/trees.ts";
import type { DavListing } from "./listing.ts";
import type { DavLocks } from "./locks.ts";
import { type DavPlace, folderOf, type SpotOf } from "./places.ts";
import type { Relocations } from "./relocations.ts";
import type { DavWrites } from "./writes.ts";
import { DECLARATION, parseXml, type XmlElement } from "./xml.ts";

export type DavDoor = {
  /** Of the addresses, without a slash at the end. */
  prefix: string;
  /** @throws Unauthorized */
  identify(c: HttpContext): Promise<Caller>;
  /** @throws Forbidden for scripts of other sites */
  refuseForeign(c: HttpContext): void;
  bodies: BodyMemory;
};

export type DavDeps = DavDoor & {
  tree: AccountTree;
  trees: Trees;
  spotOf: SpotOf;
  listing: DavListing;
  locks: DavLocks;
  writes: DavWrites & Relocations;
  download: Download;
  clock: Clock;
  logger: Logger;
};

/** `place` is null above the trees. */
export type DavAsk = { c: HttpContext; caller: Caller; names: readonly string[]; place: DavPlace | null };
export type DavMethod = (deps: DavDeps, ask: DavAsk) => Promise<Response>;

const MOST_BODY_BYTES = 64 * 1024;
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

export const xmlAnswer = (text: string, status = 207, headers: Record<string, string> = {}): Response =>
  new Response(DECLARATION + text, { status, headers: { "Content-Type": XML_TYPE, ...headers } });

/** @throws NotFound */
export async function entryAt({ spotOf }: DavDeps, place: DavPlace | null): Promise<Entry> {
  const entry = place === null ? folderOf(ROOT) : (await spotOf(place)).entry;
  if (entry !== null) return entry;
  throw nothing();
}

/** Null for the folders above the trees. @throws NotFound, Forbidden */
export async function davPlaceOf(
  { trees }: DavDeps,
  caller: Caller,
  [kind, ...names]: readonly string[],
  reads: boolean,
): Promise<DavPlace | null> {
  if (kind === "files") return { tree: caller.id, top: ["files"], names };
  const [team, ...inTeam] = names;
  if (kind === undefined || (kind === "teams" && team === undefined)) return null;
  if (kind !== "teams") throw nothing();
  const asking = { c: { req: { method: reads ? "GET" : "PUT" } }, account: caller };
  const tree = await trees.named(asking, { team: team! }).catch((error: unknown) => {
    throw error instanceof AppError && error.name === "BadRequest" ? nothing() : error;
  });
  return { tree, top: ["teams", team!], names: inTeam };
}

const nothing = () => appError("NotFound", "There is nothing at this address.");
