import {
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
} from "react";
import type { Going } from "../entry-actions.tsx";
import { type Entry, entryKey } from "../file-queries.ts";
import type { FileOrder, FileSearch, FileSort } from "../file-search.ts";
import type { Marks } from "../shared/shared-queries.ts";
import { useCopiedEntries } from "./copied-entries.tsx";
import type { EntryCommands } from "./entry-menu.tsx";
import { EntryRow } from "./entry-row.tsx";
import classes from "./files.module.css";
import { GridHead } from "./grid-head.tsx";
import { gridKeys } from "./grid-keys.ts";
import { isFocusLost } from "../../ui/focus-back.ts";
import { openRowMenu } from "../../ui/lists/row-clicks.ts";
import { type Reach, useEntrySelection } from "./selection.ts";
import { useGridRows } from "./use-grid-rows.ts";

type Props = {
  label: string;
  entries: readonly Entry[];
  search: FileSearch;
  onSort?: (sort: FileSort, order: FileOrder) => void;
  going: Going;
  /** Of the entries that are shared. */
  marks: Marks | undefined;
  commands: EntryCommands;
  onUp(): void;
  /** The entry that is renamed in place. */
  renamed: Entry | null;
  onRename(entry: Entry, name: string | null): void;
  onMove(entries: readonly Entry[], folder: Entry): void;
  onFiles(transfer: DataTransfer, folder: Entry): void;
  /** When the list opens, unless something else has the focus. */
  takesFocus: boolean;
  /** Tiles with pictures instead of rows. */
  isTiled: boolean;
  /** The last rows are shown. */
  onEnd?: () => void;
};

/** Any number of rows of a folder. The grid has the focus and names the active row. */
export function EntryGrid(props: Props) {
  const { label, entries, search, onSort, commands, isTiled, onEnd } = props;
  const grid = useRef<HTMLDivElement>(null);
  const id = useId();
  const selection = useEntrySelection(entries);
  const { rows, ref, columns, rowOf, pageOf } = useGridRows(grid, entries, {
    isTiled,
    isTall: search.q !== undefined,
    activeAt: selection.activeAt,
    onEnd,
  });
  /** Keys continue at the file that was viewed last. */
  const follow = useEffectEvent((file: number) => {
    const at = entries.findIndex((entry) => entry.kind === "file" && entry.id === file);
    if (at === -1 || at === selection.activeAt) return;
    selection.reach(at, "move");
    rows.scrollToIndex(rowOf(at), { align: "auto" });
  });
  useEffect(() => {
    if (search.file !== undefined) follow(search.file);
  }, [search.file]);

  useFocus(grid, props.takesFocus);
  useCopiedEntries(grid, commands.change === undefined ? [] : entries, selection);

  const keys = gridKeys({
    entries,
    selection,
    commands,
    columns,
    page: pageOf(),
    onGo(at) {
      rows.scrollToIndex(rowOf(at), { align: "auto" });
      grid.current?.focus({ preventScroll: true });
    },
    onUp: props.onUp,
    onMenu: () => void openRowMenu(grid.current?.querySelector("[data-active]")),
  });

  function focus(event: FocusEvent): void {
    if (event.target === grid.current && selection.activeAt === -1) selection.reach(0, "move");
  }
  const rowOfEntry = (listed: Entry, at: number, place: { start: number; size: number } | null) => {
    const going = props.going.get(entryKey(listed));
    const entry = going === undefined ? listed : { ...listed, ...going };
    const { renamed, onMove, onFiles } = props;
    return (
      <EntryRow
        key={entryKey(listed)}
        entry={entry}
        id={`${id}-${at}`}
        at={at}
        place={place}
        state={{
          isSelected: selection.has(entry),
          isActive: selection.activeAt === at,
          isGoing: going !== undefined,
          isRenamed: renamed !== null && entryKey(renamed) === entryKey(entry),
        }}
        mark={props.marks?.get(entry.id)}
        commands={commands}
        onReach={(how: Reach) => selection.reach(at, how)}
        onRename={(name) => {
          props.onRename(entry, name);
          grid.current?.focus({ preventScroll: true });
        }}
        dragged={() => (selection.has(entry) ? selection.selected : [entry])}
        onDrop={
          entry.kind === "folder" && !entry.is_linked && commands.change !== undefined
            ? {
                onEntries: (moved) => onMove(moved, entry),
                onFiles: (transfer) => onFiles(transfer, entry),
              }
            : null
        }
      />
    );
  };

  return (
    <div
      ref={ref}
      role="grid"
      aria-label={label}
      aria-multiselectable
      aria-rowcount={Math.ceil(entries.length / columns) + 1}
      aria-activedescendant={selection.activeAt === -1 ? undefined : `${id}-${selection.activeAt}`}
      tabIndex={0}
      className={classes["scroller"]}
      onKeyDown={keys}
      onFocus={focus}
    >
      <GridHead {...{ search, onSort, entries, selection, commands }} />
      <div role="rowgroup" className={classes["body"]} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start, size }) =>
          isTiled ? (
            <TileRow key={key} {...{ index, start, size, columns }}>
              {entries
                .slice(index * columns, (index + 1) * columns)
                .map((entry, at) => rowOfEntry(entry, index * columns + at, null))}
            </TileRow>
          ) : (
            rowOfEntry(entries[index]!, index, { start, size })
          ),
        )}
      </div>
    </div>
  );
}

type TileRowProps = { index: number; start: number; size: number; columns: number; children: ReactNode };

const TileRow = ({ index, start, size, columns, children }: TileRowProps) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    className={classes["tiles"]}
    style={{
      height: size,
      transform: `translateY(${start}px)`,
      gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
    }}
  >
    {children}
  </div>
);

/** Unless something else has it. */
function useFocus(grid: RefObject<HTMLDivElement | null>, takesFocus: boolean): void {
  useEffect(() => {
    if (takesFocus && isFocusLost()) grid.current?.focus({ preventScroll: true });
  }, [grid, takesFocus]);
}
