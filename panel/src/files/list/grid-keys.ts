import type { KeyboardEvent } from "react";
import { isGoingToPage } from "../../ui/keys/page-keys.ts";
import { type ShortcutId, shortcutOf } from "../../ui/keys/shortcuts.ts";
import { type Entry, isFixed } from "../file-queries.ts";
import type { EntryCommands } from "./entry-menu.tsx";
import { type EntrySelection, MOST_SHARED } from "./selection.ts";

type Options = {
  entries: readonly Entry[];
  selection: EntrySelection;
  commands: EntryCommands;
  /** Of a row. */
  columns: number;
  /** Entries of a page. */
  page: number;
  onGo(at: number): void;
  /** To the folder above. */
  onUp(): void;
  /** Of the active row. */
  onMenu(): void;
};

/** Arrows, Home, End and pages move, with Shift they select; Enter opens, F2 renames, Delete removes. */
export function gridKeys({ entries, selection, commands, columns, page, onGo, onUp, onMenu }: Options) {
  const { activeAt, selected, reach } = selection;
  const active = entries[activeAt];
  /** The selected rows, or the active one. */
  const meant = selected.length > 0 ? selected : active === undefined ? [] : [active];
  const steps: Partial<Record<ShortcutId, number>> = {
    down: activeAt === -1 ? 0 : activeAt + columns,
    up: activeAt - columns,
    start: 0,
    end: entries.length - 1,
    "page-down": activeAt + page,
    "page-up": activeAt - page,
  };
  const runs: Partial<Record<ShortcutId, () => void>> = {
    open: () => active && commands.open(active),
    rename: () => active && !isFixed(active) && commands.change?.rename(active),
    share: () => active && meant.length <= MOST_SHARED && commands.change?.share(meant),
    delete: () => meant.length > 0 && !meant.some(isFixed) && commands.change?.trash(meant),
    menu: onMenu,
    above: onUp,
    none: selection.clear,
    select: () => reach(Math.max(activeAt, 0), "toggle"),
    all: selection.selectAll,
  };
  return (event: KeyboardEvent): void => {
    if (isGoingToPage()) return;
    // Buttons and links in the grid handle their own keys.
    if (event.target !== event.currentTarget && ["Enter", " "].includes(event.key)) return;
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const id = shortcutOf({ key, ctrlKey, metaKey, altKey, shiftKey: false });
    const besides: Record<string, number> = { ArrowRight: activeAt + 1, ArrowLeft: activeAt - 1 };
    const beside = columns > 1 && !ctrlKey && !metaKey && !altKey ? besides[key] : undefined;
    const step = beside ?? (id && steps[id]);
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      const at = Math.min(Math.max(step, 0), entries.length - 1);
      reach(at, shiftKey ? "range" : "move");
      onGo(at);
      return;
    }
    const pressed = shortcutOf(event);
    const run = pressed && runs[pressed];
    if (run === undefined) return;
    event.preventDefault();
    // A key outside of it would close the menu.
    if (pressed === "menu") event.stopPropagation();
    // Held down, a key would affect the next entries too.
    if (!event.repeat) run();
  };
}
