/** Pages that begin after a place. Each costs as much as the first, and added links move none. */
import type { Link } from "../link/link.ts";
import type { LinkFilter } from "./filter.ts";
import type { LinkOrder } from "./order.ts";
import { type ListPlace, placeOfLink } from "./place.ts";
import { comparing, cut, planFor, sizeOf } from "./plan.ts";
import type { IdRange, LinkListRepository } from "./repository.ts";
import type { ListPlan, Slice } from "./ordered-keys.repository.ts";
import type { TotalCache } from "./total-cache.ts";

export type PlacedQuery = {
  filter: LinkFilter;
  order: LinkOrder;
  /** Null: from the start. */
  after: ListPlace | null;
  limit: number;
};

/** `next`: null on the last page. */
export type PlacedPage = { links: Link[]; next: ListPlace | null };

type Deps = {
  repository: LinkListRepository;
  totals: TotalCache;
  total(filter: LinkFilter): Promise<number>;
  rankedFrom: number;
};

/** Few matches, or how to find them. */
type Way = { ids: readonly number[] } | { plan: ListPlan; ranges: readonly IdRange[] };

export function createPlacedPages({ repository, totals, total, rankedFrom }: Deps) {
  /** @param rarest links of the first tag, if the filter starts with it */
  async function wayFor(filter: LinkFilter, slice: Slice, rarest: number | null): Promise<Way> {
    const isPlain = filter.search === null && rarest === null;
    if (isPlain && slice.order.sort !== "click_count") return { plan: "walk", ranges: [] };
    const all = await repository.extent();
    if (all === null) return { ids: [] };
    const links = sizeOf(all);
    if (isPlain && links < rankedFrom) return { plan: "sort", ranges: [] };
    const matches = totals.get(filter)?.total ?? (await total(filter));
    const ids = totals.get(filter)?.ids;
    if (ids) return { ids };
    if (matches === 0) return { ids: [] };
    const tagged = rarest === null ? {} : { tagged: rarest };
    const plan = planFor(slice, { matches, links, rankedFrom, ...tagged });
    return { plan, ranges: rarest === null && filter.search !== null ? cut(all) : [] };
  }

  /** Range by range, for a search without index. */
  async function sorted(filter: LinkFilter, ranges: readonly IdRange[], { order, limit, after }: Slice) {
    const parts = await Promise.all(
      ranges.map((range) => repository.firstWithin(filter, [range], order, limit, after)),
    );
    const keys = parts.flatMap((part) => part.keys).sort(comparing(order));
    return {
      codes: keys.map(({ code }) => code),
      places: keys.map(({ code, createdAt }) => ({
        value: order.sort === "code" ? null : createdAt,
        tie: code,
      })),
    };
  }

  return async function placedPage(
    { filter, order, after, limit }: PlacedQuery,
    rarest: number | null,
  ): Promise<PlacedPage> {
    const slice: Slice = { order, offset: 0, limit: limit + 1, after };
    const way = await wayFor(filter, slice, rarest);
    if ("ids" in way) {
      if (way.ids.length === 0) return { links: [], next: null };
      const found = await repository.load({ ids: way.ids }, slice);
      const links = found.slice(0, limit);
      return { links, next: found.length > limit ? placeOfLink(order, links.at(-1)!) : null };
    }
    const isRanged =
      way.plan === "sort" &&
      way.ranges.length > 0 &&
      !repository.sharesScans &&
      (order.sort === "code" || order.sort === "created_at");
    const found = isRanged
      ? await sorted(filter, way.ranges, slice)
      : await repository.pageKeys(filter, slice, way.plan);
    const keys = "ids" in found ? { ids: found.ids.slice(0, limit) } : { codes: found.codes.slice(0, limit) };
    const links = await repository.load(keys, { order, offset: 0, limit });
    return { links, next: found.places.length > limit ? found.places[limit - 1]! : null };
  };
}
