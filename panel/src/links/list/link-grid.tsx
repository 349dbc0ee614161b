import { useLingui } from "@lingui/react/macro";
import { useMediaQuery } from "@mantine/hooks";
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import { lazyPart, soonPart } from "../../base/lazy.ts";
import { isFiltered, type LinkSearch, type Order, type Sort } from "../link-search.ts";
import { useAsksPasswords } from "../form/link-passwords.ts";
import { fittingColumns, gridOf, type LinkColumn } from "./columns.ts";
import { useGridActions } from "./grid-actions.ts";
import { HeadRow } from "./head-row.tsx";
import { isByClicks, useLiveCounts } from "../../auth/live-counts.ts";
import { FailedLinks, LoadingLinks, NoRows } from "./list-states.tsx";
import { useRowCursor } from "./row-cursor.ts";
import type { LinkAction } from "./row-keys.ts";
import { LinkRow, rowId } from "./row.tsx";
import { type LinkRows, useLinkRows, usePagesAround } from "./rows.ts";
import { isSelectedLink, type LinkSelection } from "./selection.ts";
import { useRowWindow } from "./window.ts";
import classes from "./list.module.css";

const loadEditor = () => import("./row-editor.tsx");
const RowMenu = soonPart(async () => (await import("./row-menu.tsx")).RowMenu);
const RowEditor = lazyPart(async () => (await loadEditor()).RowEditor);
/** Before somebody edits a row. */
const loadEditorEarly = (): void => void loadEditor().catch(() => {});

type Props = {
  search: LinkSearch;
  columns: readonly LinkColumn[];
  /** Pixels that there are; 0: unknown. */
  width: number;
  selection: LinkSelection;
  onSort(sort: Sort, order: Order): void;
  /** The first visible row. */
  onPlace(at: number): void;
  /** Undefined while it is unknown. */
  onTotal(total: number | undefined): void;
  /** Actions that the grid leaves to others, with their link. */
  onAction(action: LinkAction, link: Link | undefined): void;
  /** Shows those with the tag. */
  onTag(tag: string): void;
  /** How many links the filter does not find any more since they were changed. */
  leftCount: number;
  /** Shows all links. */
  onClear(): void;
};

const ROW = 44;
const NARROW_ROW = 68;
const HEAD = 36;
const REM = 16;
/** Some systems show none. */
const SCROLL_BAR = 16;

export function LinkGrid(props: Props) {
  const { search, selection, onSort, onPlace, onTotal, onAction, onClear } = props;
  const { t } = useLingui();
  const scroller = useRef<HTMLDivElement>(null);
  const asksPasswords = useAsksPasswords();
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const columns = isNarrow
    ? props.columns
    : fittingColumns(props.columns, Math.max(0, props.width - SCROLL_BAR) / REM, search.sort);
  const rowHeight = isNarrow ? NARROW_ROW : ROW;
  const { at = 0, ...finding } = search;
  const [count, setCount] = useState(0);
  const ownPlaces = useRef<number[]>([at]);
  const sight = useRowWindow({
    scroller,
    count,
    rowHeight,
    headHeight: isNarrow ? 0 : HEAD,
    onRest(first) {
      if (first === at) return;
      ownPlaces.current.push(first);
      onPlace(first);
    },
  });
  const rows = useLinkRows(finding, at, sight);
  const cursor = useRowCursor({ rows, sight, selection });
  if (rows.total !== count) setCount(rows.total);

  useLayoutEffect(() => {
    ownPlaces.current = [at];
    sight.jumpTo(at);
    cursor.put(scroller.current !== null && scroller.current === document.activeElement ? at : null);
  }, [JSON.stringify(rows.shown), rows.isPending]);
  useEffect(() => {
    const known = ownPlaces.current.indexOf(at);
    if (known >= 0) ownPlaces.current.splice(0, known);
    else sight.jumpTo(at);
  }, [at]);
  useEffect(() => onTotal(rows.isCounted ? rows.total : undefined), [onTotal, rows.isCounted, rows.total]);
  usePagesAround(rows, sight);
  const counted = useLiveCounts("links", rows.known(), isByClicks(rows.shown.sort));
  const actions = useGridActions({ ...props, scroller, rows, cursor, onKeys: loadEditorEarly });

  if (rows.error !== null && rows.isPending) return <FailedLinks error={rows.error} onRetry={rows.retry} />;
  if (rows.isPending) return <LoadingLinks columns={columns} height={rowHeight} />;
  if (rows.total === 0) {
    return (
      <NoRows
        isFiltered={isFiltered(rows.shown)}
        leftCount={props.leftCount}
        onClear={onClear}
        onCreate={() => onAction("new", undefined)}
      />
    );
  }
  const inSight = Array.from({ length: Math.max(0, sight.end - sight.first) }, (_, nth) => sight.first + nth);
  const isActiveShown = cursor.at !== null && cursor.at >= sight.first && cursor.at < sight.end;
  const { edited } = actions;
  return (
    <>
      <OpenedMenu actions={actions} rows={rows} />
      {rows.error !== null && <FailedLinks error={rows.error} onRetry={rows.retry} isOver />}
      <div
        ref={scroller}
        role="grid"
        aria-label={t`Links`}
        aria-multiselectable
        aria-rowcount={rows.isCounted ? rows.total + 1 : -1}
        aria-busy={rows.isWaiting}
        aria-activedescendant={isActiveShown ? rowId(cursor.at!) : undefined}
        tabIndex={0}
        className={classes["scroller"]}
        style={gridOf(columns)}
        onPointerEnter={loadEditorEarly}
        onFocus={actions.onFocus}
      >
        <HeadRow columns={columns} finding={finding} onSort={onSort} selection={selection} rows={rows} />
        <div
          role="rowgroup"
          className={classes["body"]}
          style={{ height: sight.height }}
          onClick={actions.onClick}
          onContextMenu={actions.onContextMenu}
        >
          <div className={classes["rows"]} style={{ transform: `translateY(${sight.topOf(sight.first)}px)` }}>
            {inSight.map((row) => {
              const link = rows.link(row);
              return (
                <LinkRow
                  key={row}
                  row={row}
                  link={link && counted(link)}
                  columns={columns}
                  height={rowHeight}
                  isActive={row === cursor.at}
                  isSelected={link !== undefined && isSelectedLink(selection.selected, link)}
                  asksPasswords={asksPasswords}
                  sorted={finding.sort}
                />
              );
            })}
          </div>
          {edited !== null && (
            <Suspense fallback={null}>
              <RowEditor
                key={`${edited.link.domain}/${edited.link.code}`}
                link={edited.link}
                top={Math.max(0, Math.min(sight.topOf(edited.row), sight.height - rowHeight))}
                onClose={actions.endEdit}
              />
            </Suspense>
          )}
        </div>
      </div>
    </>
  );
}

type MenuProps = { actions: ReturnType<typeof useGridActions>; rows: LinkRows };

function OpenedMenu({ actions: { menu, run, closeMenu }, rows }: MenuProps) {
  const link = menu === null ? undefined : rows.link(menu.row);
  if (menu === null || link === undefined) return null;
  return (
    <Suspense fallback={null}>
      <RowMenu
        link={link}
        place={menu.place}
        onAction={(action) => run(action, menu.row, menu.from)}
        onClose={closeMenu}
      />
    </Suspense>
  );
}
