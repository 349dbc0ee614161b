/**
 * Ends loops of fallback_url: a closed link does not lead to its fallback if our short links would lead back to it from
 * there. Writes refuse the loops that they see (links/fallback/loops.ts); imports, later changes and other addresses of
 * this server still make some.
 */
import { isInternal } from "../links/link/internal-target.ts";
import { type CachedLink, readSpecial } from "../links/cache/cached-link.ts";
import type { Domains } from "../links/domains/registry.ts";
import { codeBelow } from "../links/fallback/loops.ts";
import { closedAs, type Fallbacks } from "./special.ts";

type Deps = {
  find(key: string, now: number): CachedLink | null | Promise<CachedLink | null>;
  domains: Pick<Domains, "keyBelow">;
  /** An origin, or empty. */
  publicUrl(): string;
};

/** A longer path counts as a loop. */
const MOST_LINKS = 16;

export function createFallbacks({ find, domains, publicUrl }: Deps): Fallbacks {
  /** The key of a URL of this server, or null. @param requestUrl the address of the request */
  const ownKey = (url: string, requestUrl: string): string | null =>
    domains.keyBelow(url) ?? codeBelow(publicUrl(), url) ?? codeBelow(requestUrl, url);

  async function walk(linkId: number, first: string, requestUrl: string, now: number): Promise<boolean> {
    const seen = new Set<string>();
    const open = [first];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      if (seen.has(key)) continue;
      if (seen.size === MOST_LINKS) return true;
      seen.add(key);
      const link = await find(key, now);
      if (link?.id === linkId) return true;
      const next = link === null ? [] : waysFrom(link, now).map((url) => ownKey(url, requestUrl));
      open.push(...next.filter((one) => one !== null));
    }
    return false;
  }

  return {
    leadsBack(linkId, fallbackUrl, { request, now }) {
      const { url } = request;
      const first = ownKey(fallbackUrl, url);
      // Without the database nobody knows. A browser then ends the loop.
      return first !== null && walk(linkId, first, url, now).catch(() => false);
    },
  };
}

/** Where the link may lead without an action of the visitor; nowhere with a password or a share's page. */
function waysFrom({ location }: CachedLink, now: number): string[] {
  if (!isInternal(location)) return [location];
  const special = readSpecial(location);
  if (special === null || special.isLocked) return [];
  const { target, rules, ruleTargets, fallbackUrl, maxClicks } = special;
  const targets = [target, ...(rules === null ? [] : ruleTargets())];
  const instead = fallbackUrl === null ? [] : [fallbackUrl];
  if (closedAs(special, now) !== null) return instead;
  return maxClicks === null ? targets : [...targets, ...instead];
}
