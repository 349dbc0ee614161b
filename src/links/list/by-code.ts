/** All matches of a filter by code, for exports. Few are found first; for many the index of codes is followed. */
import type { Link } from "../link/link.ts";
import type { LinkFilter } from "./filter.ts";
import { COUNTED, smallest, startOfCount } from "./plan.ts";
import type { LinkListRepository } from "./repository.ts";

export type MatchesByCode = ReturnType<typeof createMatchesByCode>;

/** Without a cache: each use is one request. */
export function createMatchesByCode(repository: LinkListRepository) {
  return {
    async count(filter: LinkFilter): Promise<number> {
      const { filter: ranked, starts } = await repository.starts(filter);
      return smallest(starts)?.links === 0 ? 0 : repository.count(ranked, startOfCount(starts));
    },

    /** Each call reads the next links, at most `limit` ≤ 1,000; none after the last ones. */
    async reader(filter: LinkFilter): Promise<(limit: number) => Promise<Link[]>> {
      const { filter: ranked, starts } = await repository.starts(filter);
      const least = smallest(starts);
      if (least !== null && least.links <= COUNTED) {
        const codes = least.links === 0 ? [] : await repository.codesFrom(least.start, ranked);
        let at = 0;
        return async (limit) => {
          // Some may be deleted by now.
          for (; at < codes.length; ) {
            const some = codes.slice(at, at + limit);
            at += limit;
            const links = await repository.load({ codes: some }, { sort: "code", descending: false });
            if (links.length > 0) return links;
          }
          return [];
        };
      }
      let last: string | null = null;
      return async (limit) => {
        const links = await repository.after(ranked, last, limit);
        last = links.at(-1)?.code ?? last;
        return links;
      };
    },
  };
}
