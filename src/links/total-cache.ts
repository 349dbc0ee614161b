/**
 * Exact totals of recent filters, so that paging through a search counts once. Any change of any link empties it: a
 * total that was being counted while one happened is not kept either.
 */
import type { LinkFilter } from "./link-filter.ts";

const MOST_KEPT = 100;

export type TotalCache = {
  get(filter: LinkFilter): number | undefined;
  /** To be called before counting; gives the function that keeps what was counted. */
  open(filter: LinkFilter): (total: number) => void;
  clear(): void;
};

export function createTotalCache(): TotalCache {
  const totals = new Map<string, number>();
  let changes = 0;
  return {
    get: (filter) => totals.get(keyOf(filter)),
    open(filter) {
      const seen = changes;
      return (total) => {
        // Time alone changes how many are active or expired.
        if (seen !== changes || filter.state !== null) return;
        totals.set(keyOf(filter), total);
        if (totals.size > MOST_KEPT) totals.delete(totals.keys().next().value!);
      };
    },
    clear() {
      changes++;
      totals.clear();
    },
  };
}

const keyOf = ({ search, createdAfter, createdBefore, state }: LinkFilter): string =>
  JSON.stringify([search, createdAfter, createdBefore, state]);
