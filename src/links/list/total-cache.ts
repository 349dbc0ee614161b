/**
 * Exact totals of recent filters and the starts of their queries, so that paging counts once. Any change of a link
 * empties it.
 */
import type { LinkFilter } from "./filter.ts";
import type { Starts } from "./sizes.repository.ts";

const MOST_KEPT = 100;

export type Known = { total?: number; starts?: Starts };

export function createTotalCache() {
  const kept = new Map<string, Known>();
  let changes = 0;
  return {
    get: (filter: LinkFilter): Known => kept.get(keyOf(filter)) ?? {},
    /** Call it before reading; the result stores what was read. */
    open(filter: LinkFilter): (known: Known) => void {
      const seen = changes;
      return (known) => {
        // Time alone changes how many are active.
        if (seen !== changes || filter.state !== null) return;
        const key = keyOf(filter);
        kept.set(key, { ...kept.get(key), ...known });
        if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
      };
    },
    clear(): void {
      changes++;
      kept.clear();
    },
  };
}

const keyOf = (filter: LinkFilter): string => JSON.stringify({ ...filter, asOf: 0 });
