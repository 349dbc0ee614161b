/**
 * Rows of a table of any length, on a page that scrolls as a whole. Only the visible rows exist, and the one with the
 * focus.
 */
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  Fragment,
  type ReactNode,
  type Ref,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

const AROUND = 8;

/** For a visible row: its height is measured. */
export type RowPlace = { ref: Ref<HTMLTableRowElement>; "data-index": number; "aria-rowindex": number };

type Props = {
  count: number;
  /** Pixels, until they are measured. */
  rowHeight: number;
  keyOf(row: number): string | number;
};

export function useRowsInSight({ count, rowHeight, keyOf }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const focused = useRef<number | null>(null);
  const [margin, setMargin] = useState(0);
  const rows = useWindowVirtualizer<HTMLTableRowElement>({
    count,
    estimateSize: () => rowHeight,
    overscan: AROUND,
    scrollMargin: margin,
    getItemKey: keyOf,
    rangeExtractor(range) {
      const shown = new Set(defaultRangeExtractor(range));
      const at = focused.current;
      // The neighbours of the focused row stay, so that Tab reaches them.
      if (at !== null) for (const row of [at - 1, at, at + 1]) shown.add(row);
      return [...shown].filter((row) => row >= 0 && row < range.count).toSorted((a, b) => a - b);
    },
  });
  // Content above may load late, and grow.
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top;
    if (top !== undefined) setMargin(Math.round(top + window.scrollY));
  });
  const { startIndex: first = 0, endIndex: last = -1 } = rows.range ?? {};
  return {
    first,
    last,
    bodyProps: {
      ref: body,
      onFocus({ target }: FocusEvent<HTMLElement>) {
        const row = target.closest<HTMLElement>("tr[data-index]");
        if (row !== null) focused.current = Number(row.dataset["index"]);
      },
    },
    items: rows.getVirtualItems(),
    /** The head is the first row. */
    placeOf: (row: number): RowPlace => ({
      ref: rows.measureElement,
      "data-index": row,
      "aria-rowindex": row + 2,
    }),
    top: margin,
    end: margin + rows.getTotalSize(),
  };
}

export type RowsInSight = ReturnType<typeof useRowsInSight>;

/** The rows, with room for those that are not rendered. */
export function SpacedRows({
  rows,
  row,
}: {
  rows: RowsInSight;
  row(at: number, place: RowPlace): ReactNode;
}) {
  let end = rows.top;
  const spaced = rows.items.map((item) => {
    const gap = item.start - end;
    end = item.end;
    return (
      <Fragment key={item.key}>
        <Room pixels={gap} />
        {row(item.index, rows.placeOf(item.index))}
      </Fragment>
    );
  });
  return (
    <>
      {spaced}
      <Room pixels={rows.end - end} />
    </>
  );
}

const Room = ({ pixels }: { pixels: number }) => pixels >= 1 && <tr aria-hidden style={{ height: pixels }} />;
