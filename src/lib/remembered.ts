import { ownText } from "./own-text.ts";

type Bounds = {
  /** Texts. */
  most: number;
  mostCharacters?: number;
  /** Longer texts are not remembered. */
  longest?: number;
};

/**
 * A function of texts that remembers its results. At a bound it forgets all of them, which needs no bookkeeping per
 * call.
 */
export function remembered<V extends NonNullable<unknown> | null>(
  make: (text: string) => V,
  { most, mostCharacters = Number.POSITIVE_INFINITY, longest = Number.POSITIVE_INFINITY }: Bounds,
): (text: string) => V {
  const known = new Map<string, V>();
  let characters = 0;
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (text.length > longest) return made;
    if (known.size >= most || characters >= mostCharacters) {
      known.clear();
      characters = 0;
    }
    known.set(ownText(text), made);
    characters += text.length;
    return made;
  };
}
