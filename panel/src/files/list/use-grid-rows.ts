import { useElementSize, useMediaQuery, useMergedRef } from "@mantine/hooks";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect } from "react";
import { type Entry, entryKey } from "../file-queries.ts";

const ROW = 44;
const NARROW_ROW = 60;
const AHEAD = 40;
const TILE = 200;
const TILE_WIDTH = 168;

type Options = { isTiled: boolean; isTall: boolean; activeAt: number; onEnd: (() => void) | undefined };

/** The rows in sight. A row has one entry, or as many tiles as are beside each other. */
export function useGridRows(
  grid: RefObject<HTMLDivElement | null>,
  entries: readonly Entry[],
  { isTiled, isTall, activeAt, onEnd }: Options,
) {
  const isNarrow = useMediaQuery("(max-width: 48em)") ?? false;
  const { ref: measured, width } = useElementSize();
  const columns = isTiled ? Math.max(2, Math.floor(width / TILE_WIDTH)) : 1;
  const rowHeight = isTiled ? TILE : isNarrow || isTall ? NARROW_ROW : ROW;
  const rowOf = (at: number): number => Math.floor(at / columns);
  const rows = useVirtualizer({
    count: Math.ceil(entries.length / columns),
    getScrollElement: () => grid.current,
    estimateSize: () => rowHeight,
    overscan: isTiled ? 1 : 10,
    // The head stays above the rows.
    scrollPaddingStart: ROW,
    getItemKey: (row) => entryKey(entries[row * columns]!),
    // The grid names its active row, so that row always exists.
    rangeExtractor(range) {
      const shown = defaultRangeExtractor(range);
      const active = rowOf(activeAt);
      if (active < 0 || shown.includes(active)) return shown;
      return active < shown[0]! ? [active, ...shown] : [...shown, active];
    },
  });
  useEffect(() => rows.measure(), [rows, rowHeight, columns]);
  const last = ((rows.range?.endIndex ?? 0) + 1) * columns;
  useEffect(() => {
    if (onEnd !== undefined && last > entries.length - AHEAD) onEnd();
  }, [onEnd, last, entries.length]);

  /** Entries that a page of the keyboard goes over. */
  function pageOf(): number {
    const inSight = Math.floor((grid.current?.clientHeight ?? 0) / rowHeight);
    return Math.max(1, inSight - (isTiled ? 1 : 2)) * columns;
  }
  return { rows, ref: useMergedRef(grid, measured), columns, rowOf, pageOf };
}
