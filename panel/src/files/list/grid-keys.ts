import type { KeyboardEvent } from "react";
import type { Entry } from "../file-queries.ts";
import type { EntryCommands } from "./entry-menu.tsx";
import type { EntrySelection } from "./selection.ts";

type Options = {
  entries: readonly Entry[];
  selection: EntrySelection;
  commands: EntryCommands;
  /** Rows of a page. */
  page: number;
  onGo(at: number): void;
  /** To the folder above. */
  onUp(): void;
};

/** Arrows, Home, End and pages move, with Shift they select; Enter opens, F2 renames, Delete removes. */
export function gridKeys({ entries, selection, commands, page, onGo, onUp }: Options) {
  const { activeAt, selected, reach } = selection;
  const active = entries[activeAt];
  /** The selected rows, or the active one. */
  const meant = selected.length > 0 ? selected : active === undefined ? [] : [active];
  const steps: Record<string, number> = {
    ArrowDown: activeAt + 1,
    ArrowUp: Math.max(activeAt, 1) - 1,
    Home: 0,
    End: entries.length - 1,
    PageDown: activeAt + page,
    PageUp: activeAt - page,
  };
  const runs: Record<string, () => void> = {
    Enter: () => active && commands.open(active),
    F2: () => active && commands.rename(active),
    Delete: () => meant.length > 0 && commands.trash(meant),
    Backspace: onUp,
    Escape: selection.clear,
    " ": () => reach(Math.max(activeAt, 0), "toggle"),
  };
  return (event: KeyboardEvent): void => {
    const isWithCommand = event.ctrlKey || event.metaKey;
    if (isWithCommand && event.key.toLowerCase() === "a") {
      event.preventDefault();
      selection.selectAll();
      return;
    }
    if (isWithCommand || event.altKey) return;
    // Buttons and links in the grid handle their own keys.
    if (event.target !== event.currentTarget && ["Enter", " "].includes(event.key)) return;
    const step = steps[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      const at = Math.min(Math.max(step, 0), entries.length - 1);
      reach(at, event.shiftKey ? "range" : "move");
      onGo(at);
      return;
    }
    const run = runs[event.key];
    if (run === undefined) return;
    event.preventDefault();
    // Held down, a key would affect the next entries too.
    if (!event.repeat) run();
  };
}
