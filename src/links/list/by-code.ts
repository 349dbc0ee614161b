/** All matches of a filter by code, for exports. Few are found first; for many the index of codes is followed. */
import type { Link } from "../link/link.ts";
import type { LinkFilter } from "./filter.ts";
import type { ListPlace } from "./query.ts";
import { COUNTED, type SizedStart, smallest, startOfCount } from "./plan.ts";
import type { LinkListRepository } from "./repository.ts";

export type MatchesByCode = ReturnType<typeof createMatchesByCode>;

const BY_CODE = { sort: "code", descending: false } as const;
/** As many as a database looks up at once. */
const CODES = 10_000;

/** Without a cache: each use is one request. */
export function createMatchesByCode(repository: LinkListRepository) {
  async function* codesFrom({ start: from, links }: SizedStart, filter: LinkFilter) {
    for (let after: ListPlace | null = null; links > 0; ) {
      const slice = { order: BY_CODE, offset: 0, limit: CODES, after };
      const { places }: { places: readonly ListPlace[] } = await repository.pageKeys(filter, slice, {
        by: "sort",
        from,
      });
      if (places.length > 0) yield places.map(({ tie }) => String(tie));
      if (places.length < CODES) return;
      after = places.at(-1)!;
    }
  }

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
        const pages = codesFrom(least, ranked);
        let codes: readonly string[] = [];
        return async (limit) => {
          // Some may be deleted by now.
          for (;;) {
            if (codes.length === 0) codes = (await pages.next()).value ?? [];
            const links = await repository.load({ codes: codes.slice(0, limit) }, BY_CODE);
            const isOver = codes.length === 0;
            codes = codes.slice(limit);
            if (links.length > 0 || isOver) return links;
          }
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
