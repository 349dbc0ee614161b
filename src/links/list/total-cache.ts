/**
 * Exact totals of recent filters, with few matches also their ids, so that paging searches once. Any change of a link
 * empties it.
 */
import type { LinkFilter } from "./filter.ts";

const MOST_KEPT = 100;

/** `ids` of all matches, unordered, or null. */
export type KnownTotal = { total: number; ids: readonly number[] | null };

export type TotalCache = {
  get(filter: LinkFilter): KnownTotal | undefined;
  /** Call it before counting; the result stores the count. */
  open(filter: LinkFilter): (known: KnownTotal) => void;
  clear(): void;
};

export function createTotalCache(): TotalCache {
  const totals = new Map<string, KnownTotal>();
  let changes = 0;
  return {
    get: (filter) => totals.get(keyOf(filter)),
    open(filter) {
      const seen = changes;
      return (known) => {
        // Time alone changes how many are active.
        if (seen !== changes || filter.state !== null) return;
        totals.set(keyOf(filter), known);
        if (totals.size > MOST_KEPT) totals.delete(totals.keys().next().value!);
      };
    },
    clear() {
      changes++;
      totals.clear();
    },
  };
}

const keyOf = ({ search, createdAfter, createdBefore, domain, ownerId, state, tags }: LinkFilter): string =>
  JSON.stringify([search, createdAfter, createdBefore, domain, ownerId, state, tags]);
