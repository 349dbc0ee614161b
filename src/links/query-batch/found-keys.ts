/** Portions of the links that a call handles, by id: what a filter finds among all links or among named ones. */
import { foundInChunks } from "../../lib/chunked.ts";
import type { LinkFilter } from "../list/filter.ts";
import type { FoundKey, LinkListRepository } from "../list/repository.ts";
import type { Extent } from "../../platform/db/queries.ts";

export type FoundRepository = Pick<LinkListRepository, "keysWithin" | "keysAmong" | "idsOfCodes" | "extent">;

/** `from`: the id to continue with; beyond the range at its end. */
type Portion = { keys: FoundKey[]; from: number };

export type FoundKeys = {
  /** Null without links. */
  extent(): Promise<Extent | null>;
  /** At most `most` ≤ 1,000. */
  portion(range: Extent, most: number): Promise<Portion>;
};

const CHUNK = 1_000;

/** @param codes keys of the only links to find; null: of all */
export async function createFoundKeys(
  repository: FoundRepository,
  filter: LinkFilter,
  codes: readonly string[] | null,
): Promise<FoundKeys> {
  if (codes === null) {
    return {
      extent: repository.extent,
      async portion(range, most) {
        const keys = await repository.keysWithin(filter, range, most);
        return { keys, from: keys.length < most ? range.to + 1 : keys.at(-1)!.id + 1 };
      },
    };
  }
  const ids = await foundInChunks([...new Set(codes)], CHUNK, repository.idsOfCodes);
  ids.sort((a, b) => a - b);
  return {
    extent: async () => (ids.length === 0 ? null : { from: ids[0]!, to: ids.at(-1)! }),
    async portion({ from, to }, most) {
      const some = ids.filter((id) => id >= from && id <= to).slice(0, most);
      const keys = some.length === 0 ? [] : await repository.keysAmong(filter, some);
      return { keys, from: some.length < most ? to + 1 : some.at(-1)! + 1 };
    },
  };
}

export async function countAmong(found: FoundKeys): Promise<number> {
  const range = await found.extent();
  let count = 0;
  for (let from = range?.from ?? 1; range !== null && from <= range.to; ) {
    const portion = await found.portion({ from, to: range.to }, CHUNK);
    count += portion.keys.length;
    from = portion.from;
  }
  return count;
}
