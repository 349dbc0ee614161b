/** The parameters of campaigns in an address. The rest of the address stays as typed. */
export const UTM_NAMES = ["source", "medium", "campaign", "term", "content"] as const;
export type UtmName = (typeof UTM_NAMES)[number];

type Parts = { path: string; pairs: string[]; fragment: string };

function partsOf(address: string): Parts {
  const [, beforeFragment = "", fragment = ""] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
  const at = beforeFragment.indexOf("?");
  const query = at === -1 ? "" : beforeFragment.slice(at + 1);
  return {
    path: at === -1 ? beforeFragment : beforeFragment.slice(0, at),
    pairs: query === "" ? [] : query.split("&"),
    fragment,
  };
}

const isPairOf = (pair: string, name: UtmName): boolean =>
  pair.split("=")[0]!.toLowerCase() === `utm_${name}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** Empty without the parameter. */
export function utmIn(address: string, name: UtmName): string {
  const pair = partsOf(address).pairs.find((one) => isPairOf(one, name)) ?? "";
  return decoded(pair.slice(pair.indexOf("=") + 1 || pair.length));
}

/** Replaces an earlier one. An empty value removes it. */
export function setUtm(address: string, name: UtmName, value: string): string {
  const { path, pairs, fragment } = partsOf(address.trimEnd());
  const at = pairs.findIndex((pair) => isPairOf(pair, name));
  const others = pairs.filter((pair, index) => index <= at || !isPairOf(pair, name));
  const given = value === "" ? [] : [`utm_${name}=${encodeURIComponent(value.toWellFormed())}`];
  others.splice(at === -1 ? others.length : at, at === -1 ? 0 : 1, ...given);
  return path + (others.length === 0 ? "" : `?${others.join("&")}`) + fragment;
}
