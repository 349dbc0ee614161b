/** Says where a link would lead a visitor, and why, by the same steps as a redirect. Counts no click and takes no use. */
import { z } from "zod";
import { isLinkPreview } from "../lib/automated-visitors.ts";
import { namedObject } from "../lib/named-object.ts";
import type { LookedUp } from "../links/cache/special-link.ts";
import { cacheable, readSpecial, type SpecialLink } from "../links/cache/special-link.ts";
import { toLocation } from "../links/cache/location.ts";
import { isInternal } from "../links/link/internal-target.ts";
import { explainRules } from "../links/rules/decide.ts";
import type { Facts } from "../links/rules/facts.ts";
import { conditionName, sharedCode } from "../links/rules/rule.ts";
import { closedAs, type Fallbacks, locate } from "./special.ts";
import { withUtm } from "./utm.ts";
import type { Sent, VisitorFacts } from "./visitor-facts.ts";

export const explanation = namedObject("Explanation", {
  target: z.string().nullable().describe("a URL, or share:CODE; null: nowhere"),
  status: z.int().describe("of the answer to the visitor"),
  reason: z.enum([
    "rule",
    "target",
    "share",
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
            found: z.string().nullable().describe("what the visitor has; null: not known"),
          }),
        ),
      }),
    )
    .describe("the rules until the one that decides"),
});
type Explanation = z.output<typeof explanation>;

export type Explained = LookedUp & { code: string; shortUrl: string };

type Deps = {
  visitors: VisitorFacts;
  fallbacks: Fallbacks;
  automated: { includes(request: { method: string; headers: Pick<Headers, "get"> }): boolean };
  uses: { of(linkId: number): Promise<number> };
  /** The code serves a share or drop box now. */
  serves(code: string, now: number): Promise<boolean>;
  enforcesPasswords(): boolean;
  passUtm(): boolean;
};

export type Explain = ReturnType<typeof createExplain>;

export function createExplain(deps: Deps) {
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

  async function special(asked: Explained, link: SpecialLink, sent: Sent): Promise<Explanation> {
    const { now } = sent;
    const { held } = link;
    if (held !== null) {
      return { ...nowhere(held.state), ...(held.state === "taken_down" && { status: 410 }) };
    }
    const over = closedAs(link, now);
    if (over !== null) return closed(asked, link, now, over === "expired" ? "expired" : "not_started");
    const { rules } = link;
    if (rules?.asksCountry) await visitors.loading();
    const facts: Facts = visitors.of(sent);
    const steps = rules === null ? [] : explainRules(rules, facts);
    const deciding = steps.at(-1)?.holds ? steps.at(-1)! : null;
    const target = deciding === null ? link.target : link.ruleTargets()[deciding.rule]!;
    const reason = deciding === null ? "target" : "rule";
    const isCard = link.card !== null && isLinkPreview(sent.userAgent);
    const answer = isCard
      ? ({ target: null, status: 200, reason: "card" } as const)
      : await afterPassword(asked, { ...link, target }, reason, sent);
    return { ...answer, ...(link.isLocked && { status: 401, reason: "password" }), steps };
  }

  async function afterPassword(
    asked: Explained,
    link: SpecialLink,
    reason: Explanation["reason"],
    sent: Sent,
  ): Promise<Omit<Explanation, "steps">> {
    if (link.maxClicks !== null) {
      if (automated.includes(requestOf(sent))) return { target: null, status: 200, reason: "person" };
      if ((await uses.of(asked.id)) >= link.maxClicks) return closed(asked, link, sent.now, "used_up");
    }
    const code = sharedCode(link.target);
    if (code !== null)
      return { target: link.target, status: (await serves(code, sent.now)) ? 200 : 404, reason };
    return { target: locate(link, `?${sent.query}`, 0, passUtm()), status: link.redirectStatus, reason };
  }

  return async (asked: Explained, sent: Sent): Promise<Explanation> => {
    const { target, expires_at: expiresAt } = cacheable(asked, deps.enforcesPasswords());
    const location = toLocation(target);
    if (expiresAt !== null && expiresAt <= sent.now) return nowhere("expired");
    const link = readSpecial(location);
    if (link !== null) return special(asked, link, sent);
    if (isInternal(location)) {
      return { target: `share:${asked.code}`, status: 200, reason: "share", steps: [] };
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
