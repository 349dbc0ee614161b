/** The state of the list of shares, which lives in the URL. */
const KINDS = ["file", "folder", "drop", "items"] as const;
export const SHARE_STATES = ["active", "expired", "used_up", "damaged"] as const;
const SORTS = ["created_at", "code", "human_clicks", "click_count", "expires_at"] as const;

export type ShareSort = (typeof SORTS)[number];
export type ShareSearch = {
  /** Whose shares; absent: those of the account. */
  team?: string;
  q?: string;
  kind?: (typeof KINDS)[number];
  state?: (typeof SHARE_STATES)[number];
  sort?: ShareSort;
  order?: "asc" | "desc";
  /** Of all accounts. */
  all?: true;
  /** Code of the drop box whose files are shown. */
  box?: string;
};

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** Reads the address, which anybody may have typed. */
export function readShareSearch(search: Record<string, unknown>): ShareSearch {
  const [q, box, team] = ["q", "box", "team"].map((key) => textOf(search[key])) as [string, string, string];
  const kind = oneOf(KINDS, search["kind"]);
  const state = oneOf(SHARE_STATES, search["state"]);
  const sort = oneOf(SORTS, search["sort"]);
  const order = oneOf(["asc", "desc"] as const, search["order"]);
  return {
    ...(team !== "" && { team }),
    ...(q !== "" && { q }),
    ...(kind && { kind }),
    ...(state && { state }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(search["all"] === true && { all: true }),
    ...(box !== "" && { box }),
  };
}

/** The same for the API. */
export const filterOfShares = ({ team, q, kind, state, sort, order, all }: ShareSearch) => ({
  ...(team !== undefined && !all && { team }),
  ...(q !== undefined && { search: q }),
  ...(kind && { kind }),
  ...(state && { state }),
  ...(sort && { sort }),
  ...(order && { order }),
  ...(all && { all: "true" as const }),
});
