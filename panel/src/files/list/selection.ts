/** Which rows are selected, and which one the keyboard is at. */
import { useState } from "react";
import { type Entry, entryKey } from "../file-queries.ts";

type State = {
  keys: ReadonlySet<string>;
  /** The active row, and the start of a range. */
  active: string | null;
  /** Position of the active row, for when it is gone. */
  at: number;
  anchor: string | null;
};
const NOTHING: State = { keys: new Set(), active: null, at: -1, anchor: null };

/** What the server takes as one share. */
export const MOST_SHARED = 500;

export type Reach = "only" | "toggle" | "range" | "move";
export type EntrySelection = ReturnType<typeof useEntrySelection>;

export function useEntrySelection(entries: readonly Entry[]) {
  const [state, setState] = useState(NOTHING);
  const { keys, active, at: lastAt, anchor } = state;
  // Entries that left the list are not selected.
  const selected = keys.size === 0 ? [] : entries.filter((entry) => keys.has(entryKey(entry)));
  const placeOf = (key: string | null): number =>
    key === null ? -1 : entries.findIndex((entry) => entryKey(entry) === key);

  /**
   * `only`: selects it alone. `toggle`: adds or removes it. `range`: selects from the anchor to it. `move`: makes it
   * active.
   */
  function reach(at: number, how: Reach): void {
    const entry = entries[at];
    if (entry === undefined) return;
    const key = entryKey(entry);
    if (how === "move") return setState({ keys: new Set(), active: key, at, anchor: key });
    if (how === "only") return setState({ keys: new Set([key]), active: key, at, anchor: key });
    if (how === "toggle") {
      const next = new Set(keys);
      if (!next.delete(key)) next.add(key);
      return setState({ keys: next, active: key, at, anchor: key });
    }
    const from = Math.max(placeOf(anchor), 0);
    const range = entries.slice(Math.min(from, at), Math.max(from, at) + 1);
    setState({
      keys: new Set(range.map(entryKey)),
      active: key,
      at,
      anchor: entryKey(entries[from]!),
    });
  }

  const found = placeOf(active);
  return {
    selected,
    has: (entry: Entry): boolean => keys.has(entryKey(entry)),
    activeAt: found === -1 ? Math.min(lastAt, entries.length - 1) : found,
    reach,
    selectAll: () => setState((now) => ({ ...now, keys: new Set(entries.map(entryKey)) })),
    clear: () => setState((now) => ({ ...now, keys: new Set() })),
  };
}
