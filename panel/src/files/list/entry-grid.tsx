import { useMediaQuery } from "@mantine/hooks";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type FocusEvent, useEffect, useEffectEvent, useId, useRef } from "react";
import type { Going } from "../entry-actions.tsx";
import { type Entry, entryKey } from "../file-queries.ts";
import type { FileOrder, FileSearch, FileSort } from "../file-search.ts";
import type { EntryCommands } from "./entry-menu.tsx";
import { EntryRow } from "./entry-row.tsx";
import classes from "./files.module.css";
import { GridHead } from "./grid-head.tsx";
import { gridKeys } from "./grid-keys.ts";
import { isFocusLost } from "../../ui/focus-back.ts";
import { openRowMenu } from "../../ui/row-clicks.ts";
import { type Reach, useEntrySelection } from "./selection.ts";

type Props = {
  label: string;
  entries: readonly Entry[];
  search: FileSearch;
  onSort?: (sort: FileSort, order: FileOrder) => void;
  going: Going;
  commands: EntryCommands;
  onUp(): void;
  /** The entry that is renamed in place. */
  renamed: Entry | null;
  onRename(entry: Entry, name: string | null): void;
  onMove(entries: readonly Entry[], folder: Entry): void;
  onFiles(transfer: DataTransfer, folder: Entry): void;
  /** When the list opens, unless something else has the focus. */
  takesFocus: boolean;
  /** The last rows are shown. */
  onEnd?: () => void;
};

const ROW = 44;
const NARROW_ROW = 60;
const AHEAD = 40;

/** Any number of rows of a folder. The grid has the focus and names the active row. */
export function EntryGrid(props: Props) {
  const { label, entries, search, onSort, commands, renamed, onRename, onMove, onFiles, onEnd } = props;
  const grid = useRef<HTMLDivElement>(null);
  const id = useId();
  const isNarrow = useMediaQuery("(max-width: 48em)") ?? false;
  const selection = useEntrySelection(entries);
  const rowHeight = isNarrow || search.q !== undefined ? NARROW_ROW : ROW;
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => grid.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // The head stays above the rows.
    scrollPaddingStart: ROW,
    getItemKey: (at) => entryKey(entries[at]!),
    // The grid names its active row, so that row always exists.
    rangeExtractor(range) {
      const shown = defaultRangeExtractor(range);
      const { activeAt } = selection;
      if (activeAt === -1 || shown.includes(activeAt)) return shown;
      return activeAt < shown[0]! ? [activeAt, ...shown] : [...shown, activeAt];
    },
  });
  const items = rows.getVirtualItems();
  const last = rows.range?.endIndex ?? 0;
  useEffect(() => rows.measure(), [rows, rowHeight]);
  useEffect(() => {
    if (onEnd !== undefined && last > entries.length - AHEAD) onEnd();
  }, [onEnd, last, entries.length]);

  /** Keys continue at the file that was viewed last. */
  const follow = useEffectEvent((file: number) => {
    const at = entries.findIndex((entry) => entry.kind === "file" && entry.id === file);
    if (at === -1 || at === selection.activeAt) return;
    selection.reach(at, "move");
    rows.scrollToIndex(at, { align: "auto" });
  });
  useEffect(() => {
    if (search.file !== undefined) follow(search.file);
  }, [search.file]);

  const { takesFocus } = props;
  useEffect(() => {
    if (takesFocus && isFocusLost()) grid.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  const keys = gridKeys({
    entries,
    selection,
    commands,
    page: Math.max(1, Math.floor((grid.current?.clientHeight ?? 0) / rowHeight) - 2),
    onGo(at) {
      rows.scrollToIndex(at, { align: "auto" });
      grid.current?.focus({ preventScroll: true });
    },
    onUp: props.onUp,
    onMenu: () => void openRowMenu(grid.current?.querySelector("[data-active]")),
  });

  function focus(event: FocusEvent): void {
    if (event.target === grid.current && selection.activeAt === -1) selection.reach(0, "move");
  }
  function rename(entry: Entry, name: string | null): void {
    onRename(entry, name);
    grid.current?.focus({ preventScroll: true });
  }

  return (
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-multiselectable
      aria-rowcount={entries.length + 1}
      aria-activedescendant={selection.activeAt === -1 ? undefined : `${id}-${selection.activeAt}`}
      tabIndex={0}
      className={classes["scroller"]}
      onKeyDown={keys}
      onFocus={focus}
    >
      <GridHead {...{ search, onSort, entries, selection, commands }} />
      <div role="rowgroup" className={classes["body"]} style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, key, start, size }) => {
          const listed = entries[index]!;
          const going = props.going.get(entryKey(listed));
          const entry = going === undefined ? listed : { ...listed, ...going };
          return (
            <EntryRow
              key={key}
              entry={entry}
              id={`${id}-${index}`}
              at={index}
              place={{ start, size }}
              state={{
                isSelected: selection.has(entry),
                isActive: selection.activeAt === index,
                isGoing: going !== undefined,
                isRenamed: renamed !== null && entryKey(renamed) === entryKey(entry),
              }}
              commands={commands}
              onReach={(how: Reach) => selection.reach(index, how)}
              onRename={(name) => rename(entry, name)}
              dragged={() => (selection.has(entry) ? selection.selected : [entry])}
              onDrop={
                entry.kind === "folder"
                  ? {
                      onEntries: (moved) => onMove(moved, entry),
                      onFiles: (transfer) => onFiles(transfer, entry),
                    }
                  : null
              }
            />
          );
        })}
      </div>
    </div>
  );
}
