import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../platform/http/endpoint.ts";
import { appError } from "../lib/errors.ts";
import { parseIp } from "../lib/ip-address.ts";
import { parseRfc3339 } from "../lib/rfc3339.ts";
import { CODE_FORM } from "../links/link/code.ts";
import { codeOf } from "../links/link/key.ts";
import { domainQuery } from "../links/link/link.ts";
import { keyOfPath, type LinkAccess, viewIn } from "../links/link/routes.ts";
import { isLinkPreview } from "../lib/automated-visitors.ts";
import { namedObject } from "../lib/named-object.ts";
import {
  cacheable,
  type LookedUp,
  readSpecial,
  type SpecialLink,
  toLocation,
} from "../links/cache/cached-link.ts";
import { isInternal, isReport } from "../links/link/internal-target.ts";
import { explainRules, type Facts } from "../links/rules/decide.ts";
import { conditionName, sharedCode } from "../links/rules/rule.ts";
import { closedAs, type Fallbacks, locate } from "./special.ts";
import { withUtm } from "./utm.ts";
import type { Sent, VisitorFacts } from "./visitor-facts.ts";

export const explanation = namedObject("Explanation", {
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
type Explanation = z.output<typeof explanation>;

type Explained = LookedUp & { code: string; shortUrl: string };

type ExplainDeps = {
  visitors: VisitorFacts;
  fallbacks: Fallbacks;
  automated: { includes(request: { method: string; headers: Pick<Headers, "get"> }): boolean };
  uses: { of(linkId: number): Promise<number> };
  /** The code serves a share or drop box now. */
  serves(code: string, now: number): Promise<boolean>;
  enforcesPasswords(): boolean;
  passUtm(): boolean;
};

type Explain = ReturnType<typeof createExplain>;

/**
 * Reports where a link would lead a visitor, and why, by the same steps as a redirect. Counts no click and takes no
 * use.
 */
export function createExplain(deps: ExplainDeps) {
  const { visitors, fallbacks, automated, uses, serves, passUtm } = deps;
  const nowhere = (reason: Explanation["reason"]): Explanation => ({
    target: null,
    status: 404,
    reason,
    steps: [],
  });

  async function closed(
    { id, shortUrl }: Explained,
    link: SpecialLink,
    now: number,
    reason: Explanation["reason"],
  ): Promise<Explanation> {
    const { fallbackUrl } = link;
    if (fallbackUrl === null) return nowhere(reason);
    const isLoop = await fallbacks.leadsBack(id, fallbackUrl, { request: { url: shortUrl }, now });
    return isLoop ? nowhere(reason) : { target: fallbackUrl, status: 307, reason, steps: [] };
  }

  async function special(explained: Explained, link: SpecialLink, sent: Sent): Promise<Explanation> {
    const { now } = sent;
    const { held } = link;
    if (held !== null) {
      return { ...nowhere(held.state), ...(held.state === "taken_down" && { status: 410 }) };
    }
    const over = closedAs(link, now);
    if (over !== null) return closed(explained, link, now, over === "expired" ? "expired" : "not_started");
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
      if ((await uses.of(explained.id)) >= link.maxClicks)
        return closed(explained, link, sent.now, "used_up");
    }
    const code = sharedCode(link.target);
    if (code !== null)
      return { target: link.target, status: (await serves(code, sent.now)) ? 200 : 404, reason };
    return { target: locate(link, `?${sent.query}`, 0, passUtm()), status: link.redirectStatus, reason };
  }

  return async (explained: Explained, sent: Sent): Promise<Explanation> => {
    const { target, expires_at: expiresAt } = cacheable(explained, deps.enforcesPasswords());
    const location = toLocation(target);
    if (expiresAt !== null && expiresAt <= sent.now) return nowhere("expired");
    const link = readSpecial(location);
    if (link !== null) return special(explained, link, sent);
    if (isInternal(location)) {
      const reason = isReport(location) ? "report" : "share";
      return { target: `${reason}:${explained.code}`, status: 200, reason, steps: [] };
    }
    const found = passUtm() ? withUtm(location, `?${sent.query}`, 0) : location;
    return { target: found, status: 307, reason: "target", steps: [] };
  };
}

const requestOf = ({ userAgent, acceptLanguage }: Sent) => ({
  method: "GET",
  headers: {
    get: (name: string) =>
      name === "user-agent" ? userAgent : name === "accept-language" ? acceptLanguage : null,
  },
});

type Deps = {
  explain: Explain;
  links: LinkAccess;
  now(): number;
};

const MOST_CHARACTERS = 2_048;
const header = z.string().max(MOST_CHARACTERS).optional();

const query = domainQuery.extend({
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

/** Relative to {admin}/v1. Mount it before `/links/:code{.+}`. */
export const explainEndpoint = ({ explain, links, now }: Deps): Endpoint =>
  endpoint("GET /links/:code{.+}/explain", {
    ownsPath: true,
    access: "editor",
    scope: "links",
    tag: "links",
    params: { code: z.string().meta(CODE_FORM) },
    summary: "Where a link would lead a visitor, and why; write a code that ends in /explain with %2F",
    query,
    response: explanation,
    async handle({ c, query: explained, account }) {
      const link = await links.by(actorOf(account)).get(keyOfPath(links, c, explained));
      const at = explained.at === undefined ? now() : parseRfc3339(explained.at);
      if (at === null) {
        throw appError("InvalidDateFormat", "at must be an instant such as 2026-11-20T13:00:00Z.", {
          field: "at",
        });
      }
      const { id, target, options, expiresAt: expires_at, passwordHash: locked } = link;
      return explain(
        {
          id,
          target,
          options,
          expires_at,
          locked,
          code: codeOf(link.code),
          shortUrl: viewIn(links, c, link).short_url,
        },
        {
          linkId: id,
          now: at,
          userAgent: explained.user_agent ?? null,
          acceptLanguage: explained.language ?? null,
          referrer: referrerOf(explained.referrer),
          query: queryOf(explained.query ?? ""),
          address: () => explained.address ?? "",
          ...(explained.country !== undefined && { country: explained.country.toUpperCase() }),
        },
      );
    },
  });

const referrerOf = (text: string | undefined): string | null =>
  text === undefined || text.includes("://") ? (text ?? null) : `https://${text}/`;

/** As in the path of a request. */
const queryOf = (text: string): string =>
  new URL(`http://localhost/?${text.replace(/^\?/, "").replaceAll("#", "%23")}`).search.slice(1);
