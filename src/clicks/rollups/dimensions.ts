/** Dimensions of clicks besides time and link; texts of their values in click_values. */

/** Stored numbers. Never change a meaning. */
export const DIMENSIONS = {
  /** labelOfSource. Every click with details has one. */
  source: 1,
  /** placeValue(…). An unknown place has none. */
  place: 2,
  /** agentValue(…). No User-Agent, no value. */
  agent: 3,
  /** As in the columns of click_log. */
  referrer: 4,
  utm_source: 5,
  utm_medium: 6,
  utm_campaign: 7,
  utm_term: 8,
  utm_content: 9,
  language: 10,
  /** Every click with details has one. */
  channel: 11,
  rule: 12,
} as const;

export type Dimension = keyof typeof DIMENSIONS;
/** That of which links have sums by month, too. */
export const MONTHLY_OF_LINKS = "utm_campaign" satisfies Dimension;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as Dimension[];

/** Columns of click_log whose text is the value; null: no value. */
export const COLUMN_OF = {
  referrer: "referrer_host",
  utm_source: "utm_source",
  utm_medium: "utm_medium",
  utm_campaign: "utm_campaign",
  utm_term: "utm_term",
  utm_content: "utm_content",
  language: "language",
  channel: "channel",
  rule: "rule",
} as const;
export type ColumnDimension = keyof typeof COLUMN_OF;
export const COLUMN_DIMENSIONS = Object.keys(COLUMN_OF) as ColumnDimension[];
export const isColumnDimension = (dimension: Dimension): dimension is ColumnDimension =>
  dimension in COLUMN_OF;

/** A click's values of these dimensions. */
export type ColumnValues = Record<ColumnDimension, string | null>;

export const byDimension = <T>(make: (dimension: Dimension) => T): Record<Dimension, T> =>
  Object.fromEntries(DIMENSION_NAMES.map((name) => [name, make(name)])) as Record<Dimension, T>;

/** One object per text of a batch, so it serves as a key. */
export type Value = { readonly dimension: Dimension; readonly text: string };

/** Label of clicks without a referrer. */
export const DIRECT = "(direct)";

/** Everything beyond the bound. */
export const OTHER = "(other)";
/** The bound per link, dimension and day. */
export const LINK_DAY_VALUES = 100;
/** The bound for all links together, per dimension and hour or day. */
export const TOTAL_VALUES = 1_000;

/** The referrer in reports. @param utmSource of the click; a source that is equal to it is its text, even `direct` */
export function labelOfSource(source: string, utmSource: string | null): string {
  if (source === utmSource) return source;
  if (source === "direct") return DIRECT;
  return source.startsWith("ref:") ? source.slice(4) : source;
}

export type Place = {
  /** ISO 3166-1 alpha-2, upper case. */
  country: string;
  city: string | null;
};

/** `DE` or `DE/Köln`. A control character as separator would sort differently on some databases. */
export const placeValue = ({ country, city }: Place): string =>
  city === null ? country : `${country}/${city}`;

/** OTHER is a country of its own. */
export function parsePlaceValue(value: string): Place {
  const slash = value.indexOf("/");
  return slash === -1
    ? { country: value, city: null }
    : { country: value.slice(0, slash), city: value.slice(slash + 1) };
}

export type AgentProfile = { browser: string; os: string; device: string; isBot: boolean };

export const agentValue = ({ browser, os, device, isBot }: AgentProfile): string =>
  [browser, os, device, isBot ? 1 : 0].join("\t");

/** OTHER is a profile with unknown parts. */
export function parseAgentValue(value: string): AgentProfile {
  if (value === OTHER) return { browser: OTHER, os: OTHER, device: "other", isBot: false };
  const [browser = "", os = "", device = "", bot] = value.split("\t");
  return { browser, os, device, isBot: bot === "1" };
}
