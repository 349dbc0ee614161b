/**
 * Where a path leads if no link has its code: to the longest code before it whose link has `forward_path`; else, with
 * `links.forgive_tails`, to its code without what was left behind it. Until all codes of a domain that ignores case are
 * stored in lower case (links/case/case.ts), a link keeps its code as it was written.
 */
import type { RoutedDomain } from "../links/domains/registry.ts";
import { forwardedPath } from "./forwarded-path.ts";
import {
  CODE_START,
  codeWithin,
  endOfPath,
  hasCapital,
  keyIn,
  keyOfCode,
  type PathDomains,
} from "./path-code.ts";
import { codeWithoutTail } from "./tails.ts";

export type NearLink<L> = {
  key: string;
  /** Null: it has expired. */
  link: L | null;
  /** See Visit. */
  beyond: string;
  by: "case" | "path" | "tail";
};

type Deps<L> = {
  /** Null also for an expired link. */
  find(key: string, now: number): L | null | Promise<L | null>;
  /** After a `find` without result: whether the link has expired. */
  knows(key: string): boolean;
  forwardsPath(link: L): boolean;
  domains: PathDomains;
  forgivesTails(): boolean;
};

/** A key to look up. `at`: where its code ends in the path. */
type Candidate = { key: string; at: number; by: NearLink<unknown>["by"] };

type Place = {
  path: string;
  end: number;
  domain: RoutedDomain | undefined;
  ignoresCase: boolean;
  /** The code without what was left behind it, or null. */
  withoutTail: string | null;
};

/** No code begins farther on, even if all of it is percent-encoded. */
const LAST_START = CODE_START + 128 * 3;
const SLASH = "/";

export function createNearLinks<L>({ find, knows, forwardsPath, domains, forgivesTails }: Deps<L>) {
  function* candidates({
    path,
    end,
    domain,
    ignoresCase,
    withoutTail,
  }: Place): Generator<Candidate, undefined> {
    if (ignoresCase && hasCapital(path, CODE_START, end)) {
      const key = keyIn(path, domain, false);
      if (key !== null) yield { key, at: end, by: "case" };
    }
    let at = path.lastIndexOf(SLASH, Math.min(end - 1, LAST_START));
    for (; at > CODE_START; at = path.lastIndexOf(SLASH, at - 1)) {
      const code = codeWithin(path, at);
      if (code !== null) yield { key: keyOfCode(code, domain, ignoresCase), at, by: "path" };
    }
    if (withoutTail !== null) yield { key: keyOfCode(withoutTail, domain, ignoresCase), at: end, by: "tail" };
  }

  /** Undefined: look further. Null: the path leads nowhere. */
  function chosen({ path, end }: Place, { key, at, by }: Candidate, link: L | null) {
    if (by !== "path") return link === null && !knows(key) ? undefined : { key, link, beyond: "", by };
    if (link === null || !forwardsPath(link)) return undefined;
    const beyond = forwardedPath(path.slice(at, end));
    return beyond === null ? null : { key, link, beyond, by };
  }

  function walk(place: Place, left: Generator<Candidate, undefined>, now: number): Found<L> {
    for (let next = left.next(); !next.done; next = left.next()) {
      const candidate = next.value;
      const link = find(candidate.key, now);
      if (link instanceof Promise) {
        return link.then((later) => {
          const found = chosen(place, candidate, later);
          return found === undefined ? walk(place, left, now) : found;
        });
      }
      const found = chosen(place, candidate, link);
      if (found !== undefined) return found;
    }
    return null;
  }

  return {
    /** Call it when no link has the path's code. Throws or rejects if the database fails. */
    find({ path, host }: { path: string; host: string | null }, now: number): Found<L> {
      const end = endOfPath(path);
      const domain = domains.of(host);
      const ignoresCase = domains.ignoresCase(domain);
      const withoutTail = forgivesTails() ? codeWithoutTail(path, end) : null;
      const hasSlash = path.lastIndexOf(SLASH, end - 1) > CODE_START;
      if (!hasSlash && withoutTail === null && !ignoresCase) return null;
      const key = keyIn(path, domain, ignoresCase);
      if (key !== null && knows(key)) return null;
      const place = { path, end, domain, ignoresCase, withoutTail };
      return walk(place, candidates(place), now);
    },
  };
}

type Found<L> = NearLink<L> | null | Promise<NearLink<L> | null>;
