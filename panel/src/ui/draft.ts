/**
 * What was typed into a form and not saved. It stays in this browser for a week, over closing, reloads and the end of a
 * session. Secrets do not belong in it.
 */
const PREFIX = "waymark-draft ";
const KEPT_MS = 7 * 86_400_000;

type Kept = { at: number; values: Record<string, unknown> };

/** Of fields that `known` has, with values of the same kind; null without one. Anybody may have written it. */
export function readDraft<V extends object>(name: string, known: V): Partial<V> | null {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + name) ?? "null") as Kept | null;
    if (kept === null || Date.now() - kept.at > KEPT_MS) return null;
    const fits = Object.entries(kept.values).filter(
      ([field, value]) => Object.hasOwn(known, field) && kindOf(value) === kindOf(known[field as keyof V]),
    );
    return fits.length === 0 ? null : (Object.fromEntries(fits) as Partial<V>);
  } catch {
    return null;
  }
}

/** Nothing typed: none is kept. */
export function keepDraft(name: string, values: Record<string, unknown>): void {
  if (Object.keys(values).length === 0) return dropDraft(name);
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ at: Date.now(), values } satisfies Kept));
  } catch {
    // The browser keeps nothing, or is full.
  }
}

export const dropDraft = (name: string): void => localStorage.removeItem(PREFIX + name);

const kindOf = (value: unknown): string =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? "texts" : typeof value;
