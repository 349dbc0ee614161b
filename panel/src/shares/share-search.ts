/** The state of the list of shares and of a new share, which lives in the URL. */
/** What can be shared. */
export type SharedItem = { kind: "file" | "folder"; id: number; name: string };

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
};

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** Reads the address, which anybody may have typed. */
export function readShareSearch(search: Record<string, unknown>): ShareSearch {
  const [q, team] = ["q", "team"].map((key) => textOf(search[key])) as [string, string];
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

/** `items`: what is shared; `link`: the code of a link that is to serve files; `drop`: begins as a drop box. */
export type NewShareSearch = { items?: readonly SharedItem[]; link?: string; drop?: true; team?: string };

export function readNewShare({ items, link, drop, team }: Record<string, unknown>): NewShareSearch {
  const known = Array.isArray(items) ? items.filter(isItem) : [];
  return {
    ...(known.length > 0 && { items: known }),
    ...(textOf(link) !== "" && { link: textOf(link) }),
    ...(drop === true && { drop }),
    ...(textOf(team) !== "" && { team: textOf(team) }),
  };
}

function isItem(value: unknown): value is SharedItem {
  const { kind, id, name } = (value ?? {}) as Partial<SharedItem>;
  return (kind === "file" || kind === "folder") && Number.isSafeInteger(id) && typeof name === "string";
}

/** `made`: just now. `use`: to change what the code leads to. `team`: whose files it can lead to. */
export type SharePageSearch = { made?: true; use?: true; team?: string };

export const readSharePage = ({ made, use, team }: Record<string, unknown>): SharePageSearch => ({
  ...(made === true && { made }),
  ...(use === true && { use }),
  ...(textOf(team) !== "" && { team: textOf(team) }),
});
