/** Which clicks a report counts, in the address of its page. The names are the API's. */

/** Of links. */
export const LINK_FILTERS = ["code", "tag", "domain", "owner", "search"] as const;
/** Of single clicks. */
export const VALUE_FILTERS = [
  "channel",
  "site",
  "referrer",
  "utm_campaign",
  "utm_source",
  "utm_medium",
  "utm_term",
  "utm_content",
  "country",
  "city",
  "language",
  "device",
  "browser",
  "os",
] as const;
const FILTERS = [...LINK_FILTERS, ...VALUE_FILTERS] as const;
export type FilterName = (typeof FILTERS)[number];
/** Repeated, of which links have one (`code`) or all (`tag`). */
const LISTS = ["code", "tag"] as const;

export type Filter = { [K in Exclude<FilterName, "code" | "tag">]?: string } & {
  code?: string[];
  tag?: string[];
};

const MOST_CHARACTERS = 512;
const MOST_LISTED = 16;
/** Stands for the default domain, as in the API. */
export const DEFAULT_DOMAIN = "(default)";

const isList = (name: FilterName): name is "code" | "tag" => LISTS.some((known) => known === name);

/** Reads the address, which anybody may have typed. */
export function readFilter(search: Record<string, unknown>): Filter {
  const found = FILTERS.flatMap((name) => {
    const texts = [search[name] ?? []]
      .flat()
      .map((value) => (typeof value === "object" ? "" : String(value)))
      .filter((text) => text !== "" && text.length <= MOST_CHARACTERS);
    if (texts.length === 0) return [];
    return [[name, isList(name) ? [...new Set(texts)].slice(0, MOST_LISTED) : texts[0]!] as const];
  });
  return Object.fromEntries(found) as Filter;
}

/** What a search of a page has of it. */
export const filterIn = (search: Filter): Filter => readFilter(search);

const only = (names: readonly string[], search: Filter): Filter =>
  Object.fromEntries(Object.entries(readFilter(search)).filter(([name]) => names.includes(name)));

/** Without conditions on links: a page is about one. */
export const valuesIn = (search: Filter): Filter => only(VALUE_FILTERS, search);

/** Without conditions on single clicks: what is left is answered from sums. */
export const linkConditionsIn = (search: Filter): Filter => only(LINK_FILTERS, search);

/** A condition as a person sees it. A city goes with its country. */
export type Condition = { name: FilterName; value: string };

export const conditionsIn = (search: Filter): Condition[] => {
  const filter = readFilter(search);
  return FILTERS.flatMap((name) => [filter[name] ?? []].flat().map((value) => ({ name, value })));
};

export function withCondition<S extends Filter>(search: S, { name, value }: Condition): S {
  if (!isList(name)) return { ...search, [name]: value };
  return { ...search, [name]: [...new Set([...(search[name] ?? []), value])] };
}

export function withoutCondition<S extends Filter>(search: S, { name, value }: Condition): S {
  const { [name]: had, ...others } = search;
  const left = isList(name) ? [had ?? []].flat().filter((other) => other !== value) : [];
  // A city is one of its country.
  if (name === "country") delete (others as Filter).city;
  return { ...others, ...(left.length > 0 && { [name]: left }) } as unknown as S;
}
