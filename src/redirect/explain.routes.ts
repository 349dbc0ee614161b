import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../platform/http/endpoint.ts";
import type { Actor } from "../lib/actor.ts";
import { appError } from "../lib/errors.ts";
import { parseIp } from "../lib/ip-address.ts";
import { normalisedTarget } from "../lib/request-target.ts";
import { parseRfc3339 } from "../lib/rfc3339.ts";
import { CODE_FORM, isCodeText, linkNotFound } from "../links/link/code.ts";
import type { Domains, RoutedDomain } from "../links/domains/registry.ts";
import { NO_OPTIONS, readOptions, writeOptions } from "../links/link/field-values.ts";
import { codeOf, domainOf } from "../links/link/key.ts";
import { domainQuery, type Link } from "../links/link/link.ts";
import { isWholeCode, type FoundLinks } from "../links/link/routes.ts";
import { shortUrl } from "../links/link/short-url.ts";
import type { LostReason } from "../visitors/lost-pages.ts";
import { isLinkPreview } from "../lib/automated-visitors.ts";
import { namedObject } from "../lib/named-object.ts";
import {
  cacheable,
  type LookedUp,
  readSpecial,
  type SpecialLink,
  toLocation,
} from "../links/cache/cached-link.ts";
import type { CachedLink } from "../links/cache/cached-link.ts";
import { isInternal, isReport } from "../links/link/internal-target.ts";
import { explainRules, type Facts } from "../links/rules/decide.ts";
import { conditionName, parseRules, parseRuleTarget, rulesSchema, sharedCode } from "../links/rules/rule.ts";
import { createNearLinks } from "./near-links.ts";
import { keyIn, type PathDomains } from "./path-code.ts";
import { statusOf, urlInstead } from "./responses.ts";
import { closedAs, type Fallbacks, HELD_AS, locate } from "./special.ts";
import { withUtm } from "./utm.ts";
import type { Sent, VisitorFacts } from "./visitor-facts.ts";

export const explanation = namedObject("Explanation", {
  code: z.string().meta(CODE_FORM).describe("of the link that answers"),
  found_by: z
    .enum(["code", "case", "path", "tail"])
    .describe(
      "code: as it stands; case: in another case; path: the link has forward_path; tail: without what was left behind it",
    ),
  target: z.string().nullable().describe("a URL, share:CODE or report:CODE; null: nowhere"),
  status: z.int().describe("of the response to the visitor"),
  reason: z.enum([
    "rule",
    "target",
    "share",
    "report",
    "expired",
    "not_started",
    "used_up",
    "person",
    "password",
    "card",
    "waiting",
    "refused",
    "taken_down",
  ]),
  steps: z
    .array(
      z.object({
        rule: z.int().describe("index in rules"),
        holds: z.boolean(),
        because: z.array(
          z.object({
            condition: conditionName,
            holds: z.boolean(),
            actual: z.string().nullable().describe("the visitor's value; null: not known"),
          }),
        ),
      }),
    )
    .describe("the rules until the one that decides"),
});
type Place = Pick<z.output<typeof explanation>, "code" | "found_by">;
type Explanation = Omit<z.output<typeof explanation>, keyof Place>;

/** `beyond`: see Visit. `domain`: absent for the default one. */
type Explained = LookedUp & {
  code: string;
  shortUrl: string;
  beyond?: string;
  domain?: RoutedDomain | undefined;
};

type ExplainDeps = {
  visitors: VisitorFacts;
  fallbacks: Fallbacks;
  automated: { includes(request: { method: string; headers: Pick<Headers, "get"> }): boolean };
  uses: { of(linkId: number): Promise<number> };
  /** The link to which a rule leads; null if it is over, or serves nothing of ours. */
  shared(code: string, now: number): Promise<CachedLink | null>;
  /** Whether the link serves files. One that was taken down keeps its code when they go. */
  servesFiles(linkId: number): Promise<boolean>;
  enforcesPasswords(): boolean;
  passUtm(): boolean;
};

type Explain = ReturnType<typeof createExplain>;

/**
 * Reports where a link would lead a visitor, and why, by the same steps as a redirect. Counts no click and takes no
 * use.
 */
export function createExplain(deps: ExplainDeps) {
  const { visitors, fallbacks, automated, uses, shared, servesFiles, passUtm } = deps;
  /** Domains may lead elsewhere. @param lost why, as visitors learn it */
  function nowhere(
    { code, domain }: Explained,
    lost: LostReason,
    reason: Explanation["reason"],
  ): Explanation {
    const url = urlInstead(domain, lost, code);
    return url
      ? { target: toLocation(url), status: 307, reason, steps: [] }
      : { target: null, status: statusOf(lost), reason, steps: [] };
  }

  async function closed(
    explained: Explained,
    { fallbackUrl }: SpecialLink,
    now: number,
    lost: "expired" | "unknown" | "usedUp",
  ): Promise<Explanation> {
    const reason = CLOSED_BECAUSE[lost];
    if (fallbackUrl === null) return nowhere(explained, lost, reason);
    const { id, shortUrl: url } = explained;
    const isLoop = await fallbacks.leadsBack(id, fallbackUrl, { request: { url }, now });
    return isLoop
      ? nowhere(explained, lost, reason)
      : { target: fallbackUrl, status: 307, reason, steps: [] };
  }

  async function special(explained: Explained, link: SpecialLink, sent: Sent): Promise<Explanation> {
    const { now } = sent;
    const { held } = link;
    if (held !== null) return nowhere(explained, HELD_AS[held.state], held.state);
    const over = closedAs(link, now);
    if (over !== null) return closed(explained, link, now, over);
    const { rules } = link;
    if (rules?.asksCountry) await visitors.loading();
    const facts: Facts = visitors.of(sent);
    const steps = rules === null ? [] : explainRules(rules, facts);
    const deciding = steps.at(-1)?.holds ? steps.at(-1)! : null;
    const target = deciding === null ? link.target : link.ruleTargets()[deciding.rule]!;
    const reason = deciding === null ? "target" : "rule";
    const isCard = link.card !== null && isLinkPreview(sent.userAgent);
    const outcome = isCard
      ? ({ target: null, status: 200, reason: "card" } as const)
      : await afterPassword(explained, { ...link, target }, reason, sent);
    return { ...outcome, ...(link.isLocked && { status: 401, reason: "password" }), steps };
  }

  async function afterPassword(
    explained: Explained,
    link: SpecialLink,
    reason: Explanation["reason"],
    sent: Sent,
  ): Promise<Omit<Explanation, "steps">> {
    if (link.maxClicks !== null) {
      if (automated.includes(requestOf(sent))) return { target: null, status: 200, reason: "person" };
      if ((await uses.of(explained.id)) >= link.maxClicks) return closed(explained, link, sent.now, "usedUp");
    }
    const code = sharedCode(link.target);
    if (code !== null) {
      const found = await shared(code, sent.now);
      const isServed = found !== null && (await serves(found.id, found.location));
      return { target: link.target, status: isServed ? 200 : 404, reason };
    }
    const request = { path: `?${sent.query}`, pathEnd: 0, beyond: explained.beyond ?? "" };
    return { target: locate(link, request, passUtm()), status: link.redirectStatus, reason };
  }

  const serves = async (linkId: number, location: string): Promise<boolean> =>
    isReport(location) || servesFiles(linkId);

  return async (explained: Explained, sent: Sent): Promise<Explanation> => {
    const { target, expires_at: expiresAt } = cacheable(explained, deps.enforcesPasswords());
    const location = toLocation(target);
    if (expiresAt !== null && expiresAt <= sent.now) return nowhere(explained, "expired", "expired");
    const link = readSpecial(location);
    if (link !== null) return special(explained, link, sent);
    if (isInternal(location)) {
      const reason = isReport(location) ? "report" : "share";
      const status = (await serves(explained.id, location)) ? 200 : 404;
      return { target: `${reason}:${explained.code}`, status, reason, steps: [] };
    }
    const found = passUtm() ? withUtm(location, `?${sent.query}`, 0) : location;
    return { target: found, status: 307, reason: "target", steps: [] };
  };
}

const CLOSED_BECAUSE = { expired: "expired", unknown: "not_started", usedUp: "used_up" } as const;

const requestOf = ({ userAgent, acceptLanguage }: Sent) => ({
  method: "GET",
  headers: {
    get: (name: string) =>
      name === "user-agent" ? userAgent : name === "accept-language" ? acceptLanguage : null,
  },
});

type FoundByPath = Pick<Link, "code" | "target" | "options">;

type Deps = {
  explain: Explain;
  links: FoundLinks & {
    domains: PathDomains & Pick<Domains, "idOf" | "stored">;
    findByAnyCode(key: string): Promise<FoundByPath | null>;
  };
  forgivesTails(): boolean;
  /** Schemes of targets besides http and https. */
  targetSchemes(): readonly string[];
  now(): number;
};

/** Finds what a visitor of a path finds, as the redirect does, though a link may be over. */
export function createPathSearch({ links, forgivesTails, now }: Omit<Deps, "explain" | "targetSchemes">) {
  const { domains, findByAnyCode } = links;
  const near = createNearLinks<FoundByPath>({
    find: findByAnyCode,
    knows: () => false,
    forwardsPath: ({ target, options }) => !isInternal(target) && readOptions(options).forwardPath,
    domains,
    forgivesTails,
  });

  /** @param typed what follows the host. @throws LinkNotFound, BadRequest for an unknown domain */
  return async (
    typed: string,
    domain: string | undefined,
  ): Promise<Place & { key: string; beyond: string }> => {
    const host = domains.hostOf(domains.idOf(domain));
    const path = pathOf(typed);
    const place = domains.of(host);
    // An older code may be none that a path keeps.
    const older = isCodeText(typed) ? (place?.prefix ?? "") + typed : null;
    for (const written of new Set([keyIn(path, place, false), older])) {
      const key = written === null ? null : domains.stored(written);
      const link = key === null ? null : await findByAnyCode(key);
      if (link === null) continue;
      const by = key === written ? "code" : "case";
      return { key: link.code, code: codeOf(link.code), found_by: by, beyond: "" };
    }
    const found = await near.find({ path, host }, now());
    if (!found?.link) throw linkNotFound(typed);
    const { link, beyond, by } = found;
    return { key: link.code, code: codeOf(link.code), found_by: by, beyond };
  };
}

/** As in a request. What is encoded stays so. */
const pathOf = (typed: string): string =>
  new URL(`http://localhost/${typed.replaceAll(/[\s?#]/g, encodeURIComponent)}`).pathname;

const MOST_CHARACTERS = 2_048;
const header = z.string().max(MOST_CHARACTERS).optional();

const visitor = z.object({
  at: z.string().max(64).optional().describe("RFC 3339; absent: now").meta({ format: "date-time" }),
  user_agent: header.describe("the header User-Agent"),
  language: header.describe("the header Accept-Language"),
  country: z
    .string()
    .regex(/^[a-zA-Z]{2}$/, "must be a country by ISO 3166, such as DE")
    .optional()
    .describe("ISO 3166; absent: that of the address"),
  address: z
    .string()
    .refine((text) => parseIp(text) !== null, "must be an IP address")
    .optional(),
  referrer: header.describe("the header Referer, or its host"),
  query: z.string().max(8_192).optional().describe("query of the request, such as utm_source=mail&ref=1"),
});

/** @throws InvalidDateFormat */
function sentBy(given: z.output<typeof visitor>, linkId: number, now: number): Sent {
  const at = given.at === undefined ? now : parseRfc3339(given.at);
  if (at === null) {
    throw appError("InvalidDateFormat", "at must be an instant such as 2026-11-20T13:00:00Z.", {
      field: "at",
    });
  }
  return {
    linkId,
    now: at,
    userAgent: given.user_agent ?? null,
    acceptLanguage: given.language ?? null,
    referrer: referrerOf(given.referrer),
    query: queryOf(given.query ?? ""),
    address: () => given.address ?? "",
    ...(given.country !== undefined && { country: given.country.toUpperCase() }),
  };
}

export const explainQuery = visitor.extend(domainQuery.shape);
export type ExplainQuery = z.output<typeof explainQuery>;

/** Explains where what somebody typed leads. @throws LinkNotFound, InvalidDateFormat, BadRequest for an unknown domain */
export function createPathExplain({ explain, ...deps }: Omit<Deps, "targetSchemes">) {
  const { links, now } = deps;
  const search = createPathSearch(deps);
  return async (typed: string, explained: ExplainQuery, actor: Actor, origin: string) => {
    const { key, beyond, ...place } = await search(typed, explained.domain);
    const link = await links.by(actor).get(key);
    const { id, target, options, expiresAt: expires_at, passwordHash: locked } = link;
    const code = codeOf(link.code);
    const host = links.domains.hostOf(domainOf(link.code));
    const outcome = await explain(
      {
        id,
        target,
        options,
        expires_at,
        locked,
        code,
        beyond,
        shortUrl: shortUrl(origin, host, code),
        domain: links.domains.of(host),
      },
      sentBy(explained, id, now()),
    );
    return { ...place, ...outcome };
  };
}

/** Relative to {admin}/v1. Mount it before `/links/:code{.+}`. */
export function explainEndpoint(deps: Omit<Deps, "targetSchemes">): Endpoint {
  const explainPath = createPathExplain(deps);
  return endpoint("GET /links/:code{.+}/explain", {
    yields: (asking) => isWholeCode(deps.links, asking, "explain"),
    access: "editor",
    scope: "links",
    tag: "links",
    params: { code: z.string().describe("the code, or what somebody typed after the host") },
    summary:
      "Where a link would lead a visitor, and why; a code that ends in /explain reads that link instead",
    query: explainQuery,
    response: explanation,
    handle: ({ c, query, account }) =>
      explainPath(c.req.param("code") ?? "", query, actorOf(account), c.env.origin()),
  });
}

const ruleDraft = namedObject("RuleDraft", {
  target: z.string().describe("where the link leads if no rule holds"),
  rules: rulesSchema,
  ...visitor.shape,
});

/** Relative to {admin}/v1. */
export const explainDraftEndpoint = ({
  explain,
  targetSchemes,
  now,
}: Pick<Deps, "explain" | "targetSchemes" | "now">): Endpoint =>
  endpoint("POST /links/explain", {
    access: "editor",
    scope: "links",
    tag: "links",
    summary: "Where a target and rules would lead a visitor, before a link has them",
    body: ruleDraft,
    response: explanation.omit({ code: true, found_by: true }),
    handle({ body }) {
      const schemes = targetSchemes();
      const rules = parseRules(body.rules, { schemes });
      const draft = {
        id: 0,
        code: "",
        shortUrl: "",
        target: parseRuleTarget(body.target, "target", schemes),
        options: writeOptions({ ...NO_OPTIONS, rules }),
        expires_at: null,
        locked: null,
      };
      return explain(draft, sentBy(body, draft.id, now()));
    },
  });

const referrerOf = (text: string | undefined): string | null =>
  text === undefined || text.includes("://") ? (text ?? null) : `https://${text}/`;

/** As in the path of a request. */
const queryOf = (text: string): string =>
  normalisedTarget(
    `/?${Buffer.from(text.replace(/^\?/, "").replaceAll("#", "%23")).toString("latin1")}`,
  ).slice(2);
