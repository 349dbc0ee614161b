/** Refuses a `fallback_url` that leads back to its link through short links of ours, as far as the door can see it. */
import { type AppError, appError } from "../../lib/errors.ts";
import { isCodeText } from "../code.ts";
import { readOptions } from "../link-options.ts";
import type { Link } from "../link.ts";

export type FallbackLoops = {
  /** Null if the fallback may be stored. `code` is null for a random one, which nothing leads to. */
  refusal(code: string | null, fallbackUrl: string | null | undefined): Promise<AppError | null>;
};

type Deps = {
  find(code: string): Promise<Pick<Link, "code" | "target" | "options"> | null>;
  /** The code that a URL asks of us; null for other hosts. */
  ownCode(url: string): string | null;
};

const MOST_LINKS = 16;

export function createFallbackLoops({ find, ownCode }: Deps): FallbackLoops {
  return {
    async refusal(code, fallbackUrl) {
      const first = fallbackUrl ? ownCode(fallbackUrl) : null;
      if (first === null || code === null) return null;
      const seen = new Set<string>();
      const open = [first];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (seen.has(at)) continue;
        if (seen.size === MOST_LINKS) return refused("leads through too many short links of this server");
        seen.add(at);
        if (at === code) return refused("leads back to this link");
        const link = await find(at);
        if (link === null) continue;
        if (link.code === code) return refused("leads back to this link");
        for (const url of [link.target, readOptions(link.options).fallbackUrl]) {
          const next = url === null ? null : ownCode(url);
          if (next !== null) open.push(next);
        }
      }
      return null;
    },
  };
}

const refused = (reason: string): AppError =>
  appError("LinkInvalidUrl", `The fallback_url ${reason}; choose a page that is no short link.`, {
    field: "fallback_url",
  });

/** The code of a URL below our public origin. Empty: unknown, so that no URL is ours. */
export function codeBelow(origin: string, url: string): string | null {
  const own = origin === "" ? null : URL.parse(origin);
  const asked = URL.parse(url);
  if (own === null || asked === null || asked.host !== own.host) return null;
  const path = asked.pathname
    .slice(1)
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return isCodeText(path) ? path : null;
}
