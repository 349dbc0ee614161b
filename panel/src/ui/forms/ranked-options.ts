/** The order of a list that is searched by typing: the best match is first, so Enter takes what was typed. */
import type { ComboboxItem, OptionsFilter } from "@mantine/core";

const UNMATCHED = 5;

/** Accents and case don't count. */
const fold = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

function hasWordWith(name: string, typed: string): boolean {
  for (let at = name.indexOf(typed); at >= 0; at = name.indexOf(typed, at + 1))
    if (!/[\p{L}\p{N}]/u.test(name.charAt(at - 1))) return true;
  return false;
}

/** From 0: the name, its beginning, its code such as DE, the beginning of a word in it, any part of it. */
function rankOf({ label, value }: ComboboxItem, typed: string): number {
  const name = fold(label);
  if (name === typed) return 0;
  if (name.startsWith(typed)) return 1;
  if (fold(value) === typed) return 2;
  if (hasWordWith(name, typed)) return 3;
  return name.includes(typed) ? 4 : UNMATCHED;
}

/** Lists of the panel have no groups. */
export const rankedOptions: OptionsFilter = ({ options, search, limit }) => {
  const typed = fold(search);
  const items = options.filter((one) => "value" in one);
  if (typed === "") return items.slice(0, limit);
  return items
    .map((item) => ({ item, rank: rankOf(item, typed) }))
    .filter(({ rank }) => rank < UNMATCHED)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ item }) => item);
};
