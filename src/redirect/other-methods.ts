/** Visitors POST passwords to a code, and send files to that of a drop box or of a folder that takes files. Counts no click. */
import type { Clock } from "../lib/clock.ts";
import type { LinkCache } from "../links/cache/cache.ts";
import { type CachedLink, readSpecial } from "../links/cache/cached-link.ts";
import { isDrop, isFolder, isInternal, isReport } from "../links/link/internal-target.ts";
import { codeOf } from "../links/link/key.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { Responses, Lost } from "./responses.ts";
import { type Served, sharedLink } from "./follow.ts";
import type { Locks } from "./locks.ts";
import { DROP_METHODS } from "./share-visit.ts";
import { endOfPath, keyOfCode, type PathDomains } from "./path-code.ts";
import { closedAs, HELD_AS, type Specials } from "./special.ts";
import type { PeerSource } from "./visit.ts";

/** The key that a path leads to, and its link. `beyond`: see Visit. */
export type Found = { key: string; link: CachedLink | null; beyond: string };

type Deps = {
  cache: Pick<LinkCache, "findIn">;
  domains?: PathDomains;
  specials: Pick<Specials, "shareAt">;
  /** The key and link of a path; null if it can't be a code. */
  linkOf(request: Arrival): Promise<Found | null>;
  locks: Pick<Locks, "unlock">;
  shares?: Served;
  drops?: Served;
  reports?: Served;
  clock: Clock;
  responses: Responses;
  lost: Lost;
};

export function createOtherMethods(deps: Deps) {
  const { cache, domains, specials, linkOf, locks, shares, drops, reports, clock, responses, lost } = deps;
  const { methodNotAllowed } = responses;

  /** The link itself, or the share that its rules choose. */
  async function servedBy(link: CachedLink, request: Arrival, peers: PeerSource | undefined) {
    const now = clock.now();
    const visit = { request, peers, pathEnd: endOfPath(request.path), now, rule: null, beyond: "" };
    const code = await specials.shareAt(link, visit);
    const key = code === null ? null : keyOfCode(code, undefined, domains?.ignoresCase(undefined) ?? false);
    return (key === null ? null : await sharedLink(cache, key, now)) ?? link;
  }

  /** Takes the form of a share, or of a link with a password. */
  function takeForm(
    { key, link, beyond }: Found & { link: CachedLink },
    visitor: Arrival,
    request: Request,
    peers: PeerSource | undefined,
  ): Response | Promise<Response> {
    const special = readSpecial(link.location);
    const served = isReport(link.location) ? reports : shares;
    const takesForm = special === null ? served !== undefined : special.isLocked;
    if (!takesForm) return methodNotAllowed("GET, HEAD");
    // A folder may take uploads.
    const mayUpload = isFolder(link.location) && DROP_METHODS.split(", ").includes(visitor.method);
    if (visitor.method !== "POST" && !mayUpload) return methodNotAllowed("GET, HEAD, POST");
    if (special === null) return served!.respond(link.id, request, peers);
    const closed = closedAs(special, clock.now());
    if (closed !== null) return lost.missing(visitor, closed);
    return locks
      .unlock(link.id, { code: codeOf(key), beyond }, request, peers)
      .catch(responses.failedFor(visitor));
  }

  return async (visitor: Arrival, peers: PeerSource | undefined): Promise<Response> => {
    // Made before anything waits, so that the body is read from the start.
    const request = visitor.request();
    const { key, link: found, beyond } = (await linkOf(visitor)) ?? { key: "", link: null, beyond: "" };
    if (found === null) return lost.form(visitor, key) ?? methodNotAllowed("GET, HEAD");
    const held = readSpecial(found.location)?.held ?? null;
    if (held !== null) return lost.closed(visitor, HELD_AS[held.state]);
    const link = await servedBy(found, visitor, peers);
    if (!isInternal(link.location)) return methodNotAllowed("GET, HEAD");
    if (!isDrop(link.location)) return takeForm({ key, link, beyond }, visitor, request, peers);
    return drops !== undefined && DROP_METHODS.split(", ").includes(visitor.method)
      ? drops.respond(link.id, request, peers)
      : methodNotAllowed(DROP_METHODS);
  };
}
