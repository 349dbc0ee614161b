/**
 * Refuses a link that would lead back to itself through our short links and a `fallback_url`, its own or another's, as
 * far as stored data tells. redirect/fallbacks.ts ends other loops. Targets alone may form a loop.
 */
import { type AppError, appError } from "../../lib/errors.ts";
import { isCodeText } from "../link/code.ts";
import { readOptions } from "../link/field-values.ts";
import type { Link } from "../link/link.ts";
import type { Rule } from "../rules/rule.ts";

export type FallbackLoops = ReturnType<typeof createFallbackLoops>;

/** What a write sets; absent fields stay. */
export type LeadingUrls = {
  target?: string | undefined;
  fallbackUrl?: string | null | undefined;
  rules?: readonly Rule[] | null | undefined;
};

type Deps = {
  find(code: string): Promise<Pick<Link, "code" | "target" | "options"> | null>;
  /** The code in a URL of ours; null for other hosts. */
  ownCode(url: string): string | null;
};

const MOST_LINKS = 16;

/** On the way to a link. */
type Step = { code: string; passedFallback: boolean };

export function createFallbackLoops({ find, ownCode }: Deps) {
  function stepsBy(urls: LeadingUrls, passedFallback = false): Step[] {
    const steps = [
      { url: urls.target, passedFallback },
      ...(urls.rules ?? []).map(({ target }) => ({ url: target, passedFallback })),
      { url: urls.fallbackUrl, passedFallback: true },
    ];
    return steps.flatMap((step) => {
      const code = step.url ? ownCode(step.url) : null;
      return code === null ? [] : [{ code, passedFallback: step.passedFallback }];
    });
  }

  /** What is wrong with the path that begins with this step, or null. */
  async function fault(code: string, first: Step): Promise<string | null> {
    const seen = new Set<string>();
    const open = [first];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const place = `${at.passedFallback} ${at.code}`;
      if (seen.has(place)) continue;
      // A path of targets alone involves no fallback.
      if (seen.size === MOST_LINKS) return first.passedFallback ? TOO_MANY : null;
      seen.add(place);
      const link = at.code === code ? null : await find(at.code);
      if (at.code === code || link?.code === code) {
        if (at.passedFallback) return "leads back to this link";
        continue;
      }
      if (link !== null) {
        const { fallbackUrl, rules } = readOptions(link.options);
        open.push(...stepsBy({ target: link.target, rules, fallbackUrl }, at.passedFallback));
      }
    }
    return null;
  }

  return {
    /** Returns null if these may be stored. `code` is null for a random one, to which nothing leads. */
    async refusal(code: string | null, urls: LeadingUrls): Promise<AppError | null> {
      if (code === null) return null;
      for (const [field, step] of [
        ["target", stepsBy({ target: urls.target })[0]],
        ...(urls.rules ?? []).map(
          ({ target }, at) => [`rules.${at}.target`, stepsBy({ target })[0]] as const,
        ),
        ["fallback_url", stepsBy({ fallbackUrl: urls.fallbackUrl })[0]],
      ] as const) {
        const reason = step === undefined ? null : await fault(code, step);
        if (reason !== null) return loopRefused(field, reason);
      }
      return null;
    },
  };
}

const TOO_MANY = "leads through too many short links of this server";

const loopRefused = (field: string, reason: string): AppError =>
  appError(
    "LinkInvalidUrl",
    field === "fallback_url"
      ? `The fallback_url ${reason}; choose a page that is no short link.`
      : `The ${field} ${reason} through the fallback_url of another link; choose another page.`,
    { field },
  );

/** The code of a URL below our public origin; null with an empty origin. */
export function codeBelow(origin: string, url: string): string | null {
  const own = origin === "" ? null : URL.parse(origin);
  const given = URL.parse(url);
  if (own === null || given === null || given.host !== own.host) return null;
  const path = given.pathname
    .slice(1)
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return isCodeText(path) ? path : null;
}
