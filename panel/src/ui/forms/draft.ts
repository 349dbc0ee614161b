/**
 * Text that an account typed into a form and did not save. It stays in this browser for a week, even after closing,
 * reloads and the end of a session. It must not contain secrets.
 */
const PREFIX = "waymark-draft ";
const KEPT_MS = 7 * 86_400_000;

let owner = "";

/** Each account has its own. */
export const openDrafts = (account: number): void => {
  owner = `${account} `;
};

type Kept = { at: number; values: Record<string, unknown> };

/**
 * Fields that `known` has, with values of the same type; null without one. Anybody may have written the stored text.
 */
export function readDraft<V extends object>(name: string, known: V): Partial<V> | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(name)) ?? "null") as Kept | null;
    if (kept === null || Date.now() - kept.at > KEPT_MS) return null;
    const fits = Object.entries(kept.values).filter(
      ([field, value]) => Object.hasOwn(known, field) && isAlike(value, known[field as keyof V]),
    );
    return fits.length === 0 ? null : (Object.fromEntries(fits) as Partial<V>);
  } catch {
    return null;
  }
}

/** An empty draft is not kept. */
export function keepDraft(name: string, values: Record<string, unknown>): void {
  if (Object.keys(values).length === 0) return dropDraft(name);
  try {
    localStorage.setItem(keyOf(name), JSON.stringify({ at: Date.now(), values } satisfies Kept));
  } catch {
    // The browser stores nothing, or is full.
  }
}

export const dropDraft = (name: string): void => localStorage.removeItem(keyOf(name));

const keyOf = (name: string): string => PREFIX + owner + name;

/** Empty number fields contain an empty text, other empty fields null. */
const isAlike = (value: unknown, known: unknown): boolean =>
  value === null || known === null || kindOf(value) === kindOf(known);

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? "texts" : "list";
  return typeof value === "number" ? "string" : typeof value;
}
