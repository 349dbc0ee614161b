/** The state of the list, which lives in the URL. */
export const SORTS = ["created_at", "code", "click_count", "expires_at"] as const;
export type Sort = (typeof SORTS)[number];
export const STATES = ["active", "expired"] as const;

export type LinkSearch = {
  q?: string;
  sort?: Sort;
  order?: "asc" | "desc";
  state?: (typeof STATES)[number];
  tag?: string[];
};

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

/** Of an address, which anybody may have typed. */
export function readLinkSearch(search: Record<string, unknown>): LinkSearch {
  const q = typeof search["q"] === "string" || typeof search["q"] === "number" ? String(search["q"]) : "";
  const sort = oneOf(SORTS, search["sort"]);
  const order = oneOf(["asc", "desc"] as const, search["order"]);
  const state = oneOf(STATES, search["state"]);
  const tag = [search["tag"] ?? []].flat().filter((name): name is string => typeof name === "string");
  return {
    ...(q !== "" && { q }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(state && { state }),
    ...(tag.length > 0 && { tag }),
  };
}

/** The same for the API. */
export const filterOf = ({ q, sort, order, state, tag }: LinkSearch) => ({
  domain: "*",
  ...(q !== undefined && { search: q }),
  ...(sort && { sort }),
  ...(order && { order }),
  ...(state === "active" && { only_active: true }),
  ...(state === "expired" && { only_expired: true }),
  ...(tag && { tag }),
});
