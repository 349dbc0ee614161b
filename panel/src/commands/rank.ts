/** Which of the found things come first. */

/** How well a text fits one of the names: 0 exactly, 1 at its start, 2 at the start of a word, 3 otherwise. */
export function rankOf(text: string, names: readonly string[]): number {
  const searched = text.toLowerCase();
  const ranks = names.map((name) => {
    const known = name.toLowerCase();
    if (known === searched) return 0;
    if (known.startsWith(searched)) return 1;
    const at = known.indexOf(searched);
    return at > 0 && /[\s\-_./:]/.test(known[at - 1]!) ? 2 : 3;
  });
  return Math.min(3, ...ranks);
}

type Ranked = { names: readonly string[] };
type Group<T> = { label: string; items: readonly T[] };

/** What has exactly the name stands alone before the groups; these follow with their best. */
export function bestFirst<T extends Ranked>(text: string, groups: readonly Group<T>[]): Group<T>[] {
  if (text === "") return groups.filter(({ items }) => items.length > 0);
  const ranked = groups.map(({ label, items }) => ({
    label,
    items: items
      .map((item) => ({ item, rank: rankOf(text, item.names) }))
      .toSorted((a, b) => a.rank - b.rank),
  }));
  const exact = ranked.flatMap(({ items }) => items.filter(({ rank }) => rank === 0));
  const others = ranked
    .map(({ label, items }) => ({ label, items: items.filter(({ rank }) => rank > 0) }))
    .toSorted((a, b) => (a.items[0]?.rank ?? 9) - (b.items[0]?.rank ?? 9));
  return [{ label: "", items: exact }, ...others]
    .filter(({ items }) => items.length > 0)
    .map(({ label, items }) => ({ label, items: items.map(({ item }) => item) }));
}
