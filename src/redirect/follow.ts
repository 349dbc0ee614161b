/** From the link to the answer: most links count a click and lead to their target, some do more first. */
import type { AutomatedVisitors } from "../lib/automated-visitors.ts";
import { isDrop, isInternal } from "../links/link/internal-target.ts";
import type { CachedLink } from "../links/cache/cached-link.ts";
import type { Answers } from "./answers.ts";
import type { Lost } from "./lost.ts";
import { continuesVisit } from "./share-visit.ts";
import type { SpecialOutcome, Specials } from "./special.ts";
import { withUtm } from "./utm.ts";
import type { PeerSource, Visit, Visits } from "./visit.ts";

/** What a code serves besides a redirect. Never rejects. */
export type Served = { answer(linkId: number, request: Request, peers?: PeerSource): Promise<Response> };

type Deps = {
  clicks: { record(linkId: number, atMs: number, isAutomated: boolean): void };
  automated: AutomatedVisitors;
  /** Replaces `clicks` with detailed logging. */
  visits?: Visits;
  specials: Specials;
  /** For codes of shares. */
  shares?: Served;
  /** For codes of drop boxes. */
  drops?: Served;
  passUtm(): boolean;
  answers: Answers;
  lost: Lost;
};

export function createFollow({
  clicks,
  automated,
  visits,
  specials,
  shares,
  drops,
  passUtm,
  answers,
  lost,
}: Deps) {
  function count(linkId: number, visit: Visit): void {
    const isAutomated = automated.includes(visit.request);
    if (visits === undefined) clicks.record(linkId, visit.now, isAutomated);
    else visits.record(linkId, visit, isAutomated);
  }

  function send(location: string, { request, pathEnd }: Visit): Response {
    const hasQuery = pathEnd < request.path.length;
    return answers.redirect(
      hasQuery && passUtm() ? withUtm(location, request.path, pathEnd) : location,
      request,
    );
  }

  function answerSpecial(outcome: SpecialOutcome, linkId: number, visit: Visit): Response {
    const { request } = visit;
    if (outcome.kind === "missing") return lost.closed(request, outcome.reason);
    if (outcome.kind === "elsewhere") return answers.redirect(outcome.location, request);
    if (outcome.kind === "form") return outcome.response;
    count(linkId, visit);
    if (outcome.kind === "page") return outcome.response;
    return answers.redirect(outcome.location, request, outcome.status);
  }

  function serve({ id, location }: CachedLink, visit: Visit): Response | Promise<Response> {
    const { request, pathEnd, peers } = visit;
    if (!continuesVisit(id, request, pathEnd)) count(id, visit);
    const served = isDrop(location) ? drops : shares;
    return served?.answer(id, request.request(), peers) ?? lost.missing(request, "unknown");
  }

  function followInternal(link: CachedLink, visit: Visit): Response | Promise<Response> {
    const outcome = specials.follow(link, visit);
    if (outcome === null) return serve(link, visit);
    if (!(outcome instanceof Promise)) return answerSpecial(outcome, link.id, visit);
    return outcome
      .then((known) => answerSpecial(known, link.id, visit))
      .catch(answers.failedFor(visit.request));
  }

  return {
    /** Redirects without a click, with the request's UTM pairs. */
    send,
    /** Null: there is no such link. */
    follow(link: CachedLink | null, visit: Visit): Response | Promise<Response> {
      if (link === null) return lost.unknown(visit.request);
      if (isInternal(link.location)) return followInternal(link, visit);
      count(link.id, visit);
      return send(link.location, visit);
    },
  };
}
