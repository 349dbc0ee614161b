/** The state of the list, which lives in the URL. */
const SORTS = ["created_at", "code", "human_clicks", "click_count", "expires_at"] as const;
export type Sort = (typeof SORTS)[number];
export type Order = "asc" | "desc";
const STATES = ["active", "expired"] as const;
export const SAFETY = ["waiting", "refused", "taken_down", "dead"] as const;

/** What a list finds, and in which order. */
export type LinkFinding = {
  q?: string;
  sort?: Sort;
  order?: Order;
  state?: (typeof STATES)[number];
  /** Links that lead nowhere until an administrator decides, or whose target does not answer. */
  safety?: (typeof SAFETY)[number];
  tag?: string[];
  /** A host; empty: the default domain. */
  domain?: string;
  /** An account, or `team:name`. */
  owner?: string;
  notTag?: string[];
  notOwner?: string;
  /** Texts that the target contains, or lacks. */
  target?: string;
  notTarget?: string;
  /** The id of an import from another service. */
  imported?: number;
  /** Days of creation, such as 2026-11-20, in the browser's time zone. */
  from?: string;
  to?: string;
};

/** Undefined removes a condition. */
export type FindingChange = { [K in keyof LinkFinding]?: LinkFinding[K] | undefined };

export type LinkSearch = LinkFinding & {
  /** The first shown row, from 0. */
  at?: number;
};

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

/** Addresses read `?q=12` as a number. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const dayOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

const wholeOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/** Reads the address, which anybody may have typed. */
export function readLinkSearch(search: Record<string, unknown>): LinkSearch {
  const textsOf = (name: string): string[] | undefined => {
    const texts = [search[name] ?? []].flat().flatMap((text) => textOf(text) ?? []);
    return texts.length > 0 ? texts : undefined;
  };
  const read = {
    q: textOf(search["q"]) || undefined,
    sort: oneOf(SORTS, search["sort"]),
    order: oneOf(["asc", "desc"], search["order"]),
    state: oneOf(STATES, search["state"]),
    safety: oneOf(SAFETY, search["safety"]),
    tag: textsOf("tag"),
    notTag: textsOf("notTag"),
    notOwner: textOf(search["notOwner"]) || undefined,
    target: textOf(search["target"]) || undefined,
    notTarget: textOf(search["notTarget"]) || undefined,
    imported: wholeOf(search["imported"]),
    domain: textOf(search["domain"]),
    owner: textOf(search["owner"]) || undefined,
    from: dayOf(search["from"]),
    to: dayOf(search["to"]),
    at: wholeOf(search["at"]),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as LinkSearch;
}

export const FINDING_CONDITIONS = [
  "q",
  "state",
  "safety",
  "tag",
  "notTag",
  "domain",
  "owner",
  "notOwner",
  "target",
  "notTarget",
  "imported",
  "from",
  "to",
] as const;

/** Whether it restricts the list. */
export const isFiltered = (finding: LinkFinding): boolean =>
  FINDING_CONDITIONS.some((name) => finding[name] !== undefined);

/** Conditions, for lists and bulk work. */
export const conditionsOf = ({ q, state, safety, tag, domain, owner, from, to, ...more }: LinkFinding) => ({
  domain: domain ?? "*",
  ...(q !== undefined && { search: q }),
  ...(state === "active" && { only_active: true }),
  ...(state === "expired" && { only_expired: true }),
  ...(safety === "dead" ? { only_dead: true } : safety && { held: safety }),
  ...(tag && { tag }),
  ...(owner !== undefined && { owner }),
  ...(more.notTag && { not_tag: more.notTag }),
  ...(more.notOwner !== undefined && { not_owner: more.notOwner }),
  ...(more.target !== undefined && { target: more.target }),
  ...(more.notTarget !== undefined && { not_target: more.notTarget }),
  ...(more.imported !== undefined && { import: String(more.imported) }),
  ...(from !== undefined && { created_after: new Date(`${from}T00:00:00`).toISOString() }),
  ...(to !== undefined && { created_before: new Date(`${to}T23:59:59.999`).toISOString() }),
});

/** The same for lists of the API, with the order. */
export const filterOf = ({ sort, order, ...finding }: LinkFinding) => ({
  ...conditionsOf(finding),
  ...(sort && { sort }),
  ...(order && { order }),
});
