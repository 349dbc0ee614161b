/** By what clicks are counted besides time and link, and how a value of each is written in click_values. */

/** Stored numbers: never give one a new meaning. */
export const DIMENSIONS = {
  /** What the referrer report shows: labelOfSource(source). Every click recorded in detail has one. */
  referrer: 1,
  /** placeValue(…); a click from an unknown place has none. */
  place: 2,
  /** agentValue(…); a click without a User-Agent header has none. */
  agent: 3,
} as const;

export type Dimension = keyof typeof DIMENSIONS;

/** A text by which clicks count. One object for each within a batch, so it serves as a key. */
export type Value = { readonly dimension: Dimension; readonly text: string };

/** The label of clicks without a referrer. */
export const DIRECT = "(direct)";

/** The value of each dimension that takes what exceeds the bound. */
export const OTHER = "(other)";
/** Values counted apart for a link, dimension and day; the rest goes to OTHER. */
export const LINK_DAY_VALUES = 100;
/** Values counted apart for all links together, dimension and hour or day. */
export const TOTAL_VALUES = 1_000;

/** The referrer as reports show it, told from the source a click was stored with. */
export function labelOfSource(source: string): string {
  if (source === "direct") return DIRECT;
  return source.startsWith("ref:") ? source.slice(4) : source;
}

export type Place = {
  /** ISO 3166-1 alpha-2, upper case. */
  country: string;
  city: string | null;
};

/** `DE` or `DE/Köln`; a control character between them would sort differently on some databases. */
export const placeValue = ({ country, city }: Place): string =>
  city === null ? country : `${country}/${city}`;

/** OTHER is the name of a country of its own. */
export function parsePlaceValue(value: string): Place {
  const slash = value.indexOf("/");
  return slash === -1
    ? { country: value, city: null }
    : { country: value.slice(0, slash), city: value.slice(slash + 1) };
}

export type AgentProfile = { browser: string; os: string; device: string; isBot: boolean };

export const agentValue = ({ browser, os, device, isBot }: AgentProfile): string =>
  [browser, os, device, isBot ? 1 : 0].join("\t");

/** OTHER is a profile whose parts are unknown. */
export function parseAgentValue(value: string): AgentProfile {
  if (value === OTHER) return { browser: OTHER, os: OTHER, device: "other", isBot: false };
  const [browser = "", os = "", device = "", bot] = value.split("\t");
  return { browser, os, device, isBot: bot === "1" };
}
