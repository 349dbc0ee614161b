import { useLingui } from "@lingui/react/macro";
import { useMediaQuery } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { type MouseEvent, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import { lazyPart } from "../../base/lazy.ts";
import { isFiltered, type LinkSearch, type Order, type Sort } from "../link-search.ts";
import { gridOf, type LinkColumn } from "./columns.ts";
import { HeadRow } from "./head-row.tsx";
import { FailedLinks, LoadingLinks, NoRows } from "./list-states.tsx";
import { LINKS_A_PAGE, pageQuery } from "./page-queries.ts";
import { useRowCursor } from "./row-cursor.ts";
import { isForRows, type RowDeed, rowKeyOf } from "./row-keys.ts";
import { RowMenu } from "./row-menu.tsx";
import { LinkRow, rowId } from "./row.tsx";
import { useLinkRows } from "./rows.ts";
import { countOfSelected, isSelectedLink, type LinkSelection } from "./selection.ts";
import { useRowWindow } from "./window.ts";
import classes from "./list.module.css";

const loadEditor = () => import("./row-editor.tsx");
const RowEditor = lazyPart(async () => (await loadEditor()).RowEditor);
/** Before somebody edits a row. */
const loadEditorEarly = (): void => void loadEditor().catch(() => {});

type Props = {
  search: LinkSearch;
  columns: readonly LinkColumn[];
  selection: LinkSelection;
  onSort(sort: Sort, order: Order): void;
  /** The first visible row. */
  onPlace(at: number): void;
  /** Undefined while it is unknown. */
  onTotal(total: number | undefined): void;
  /** Actions that the grid leaves to others, with their link. */
  onDeed(deed: RowDeed, link: Link | undefined): void;
  /** Shows all links. */
  onClear(): void;
};

const ROW = 44;
const NARROW_ROW = 64;
const HEAD = 36;

type Edited = { row: number; link: Link; field: string };

export function LinkGrid(props: Props) {
  const { search, columns, selection, onSort, onPlace, onTotal, onDeed, onClear } = props;
  const { t } = useLingui();
  const queries = useQueryClient();
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const rowHeight = isNarrow ? NARROW_ROW : ROW;
  const { at = 0, ...finding } = search;
  const [count, setCount] = useState(0);
  const [edited, setEdited] = useState<Edited | null>(null);
  const [menu, setMenu] = useState<{ row: number; from: HTMLElement } | null>(null);
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

  const shownKey = JSON.stringify(rows.shown);
  useLayoutEffect(() => {
    ownPlaces.current = [at];
    sight.jumpTo(at);
    cursor.put(scroller.current !== null && scroller.current === document.activeElement ? at : null);
  }, [shownKey, rows.isPending]);
  useEffect(() => {
    const known = ownPlaces.current.indexOf(at);
    if (known >= 0) ownPlaces.current.splice(0, known);
    else sight.jumpTo(at);
  }, [at]);
  const total = rows.isCounted ? rows.total : undefined;
  useEffect(() => onTotal(total), [onTotal, total]);
  useEffect(() => {
    if (sight.isRacing || rows.isPending) return;
    const [before, after] = [
      Math.floor(sight.first / LINKS_A_PAGE) - 1,
      Math.floor((sight.end - 1) / LINKS_A_PAGE) + 1,
    ];
    for (const page of [after, before]) {
      if (page >= 0 && page * LINKS_A_PAGE < rows.total)
        void queries.prefetchQuery(pageQuery(rows.shown, page));
    }
  }, [
    Math.floor(sight.first / LINKS_A_PAGE),
    Math.floor((sight.end - 1) / LINKS_A_PAGE),
    shownKey,
    rows.isPending,
  ]);

  function edit(row: number, field = "target"): void {
    const link = rows.link(row);
    if (link !== undefined) setEdited({ row, link, field });
  }

  function run(deed: RowDeed, row: number | null, from: HTMLElement | null): void {
    const link = row === null ? undefined : rows.link(row);
    const isOfSelection = deed === "delete" && from === null && countOfSelected(selection.selected) > 0;
    if (isOfSelection) onDeed("delete", undefined);
    else if (deed === "all") {
      if (rows.isCounted) selection.set({ kind: "all", finding: rows.shown, total: rows.total });
    } else if (deed === "none") selection.clear();
    else if (deed === "toggle") {
      if (link === undefined || row === null) return;
      cursor.put(row);
      selection.toggle(link, rows.known());
    } else if (deed === "edit") {
      if (row !== null) edit(row);
    } else if (deed === "menu") {
      if (row !== null && from !== null) setMenu({ row, from });
    } else onDeed(deed, link);
  }

  function onClick(event: MouseEvent<HTMLElement>): void {
    const target = event.target as HTMLElement;
    const element = target.closest<HTMLElement>("[data-row]");
    if (element === null) return;
    const row = Number(element.dataset["row"]);
    const pressed = target.closest<HTMLElement>("[data-deed]");
    const deed = pressed?.dataset["deed"] as RowDeed | undefined;
    const isModified = event.ctrlKey || event.metaKey;
    if (event.shiftKey && (deed === undefined || deed === "toggle")) return void cursor.extendTo(row);
    if (deed === "page") {
      if (isModified || event.shiftKey) return;
      event.preventDefault();
    }
    if (deed === undefined) {
      if (isModified) run("toggle", row, null);
      else cursor.put(row);
      scroller.current?.focus({ preventScroll: true });
      return;
    }
    cursor.put(row);
    run(deed, row, pressed);
  }

  const onKey = useRef<(event: KeyboardEvent) => void>(undefined);
  onKey.current = (event) => {
    if (event.defaultPrevented || edited !== null || !isForRows(event, scroller.current)) return;
    const isOnButton = (event.target as HTMLElement).closest("button, a, input") !== null;
    if (isOnButton && (event.key === "Enter" || event.key === " ")) return;
    const key = rowKeyOf(event);
    if (key === null) return;
    loadEditorEarly();
    event.preventDefault();
    if (!scroller.current?.contains(document.activeElement)) scroller.current?.focus({ preventScroll: true });
    // Held down, a key would affect the next links too.
    if (event.repeat && !("move" in key)) return;
    if ("move" in key) cursor.move(key.move, key.isExtending);
    else run(key.deed, cursor.at, null);
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey.current?.(event);
    // Before dialogs, which may be closed and gone when the event reaches the page.
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);

  if (rows.error !== null && rows.isPending) return <FailedLinks error={rows.error} onRetry={rows.retry} />;
  if (rows.isPending) return <LoadingLinks columns={columns} height={rowHeight} />;
  if (rows.total === 0) {
    return (
      <NoRows
        isFiltered={isFiltered(rows.shown)}
        onClear={onClear}
        onCreate={() => onDeed("new", undefined)}
      />
    );
  }
  const inSight = Array.from({ length: Math.max(0, sight.end - sight.first) }, (_, nth) => sight.first + nth);
  const isActiveShown = cursor.at !== null && cursor.at >= sight.first && cursor.at < sight.end;
  const menuLink = menu === null ? undefined : rows.link(menu.row);
  return (
    <>
      {menu !== null && menuLink !== undefined && (
        <RowMenu
          link={menuLink}
          from={menu.from}
          onDeed={(deed) => run(deed, menu.row, menu.from)}
          onClose={() => setMenu(null)}
        />
      )}
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
        onFocus={(event) => {
          if (event.target !== event.currentTarget) return;
          const isFromSearch = event.relatedTarget?.matches("[role=search] input") === true;
          if (isFromSearch || cursor.at === null) cursor.put(sight.top());
        }}
      >
        <HeadRow columns={columns} finding={finding} onSort={onSort} />
        <div
          role="rowgroup"
          className={classes["body"]}
          style={{ height: sight.height }}
          onClick={onClick}
          onDoubleClick={(event) => {
            const target = event.target as HTMLElement;
            const row = target.closest<HTMLElement>("[data-row]")?.dataset["row"];
            if (row === undefined || target.closest("[data-deed]") !== null) return;
            edit(Number(row), target.closest<HTMLElement>("[data-cell]")?.dataset["cell"]);
          }}
        >
          <div className={classes["rows"]} style={{ transform: `translateY(${sight.topOf(sight.first)}px)` }}>
            {inSight.map((row) => {
              const link = rows.link(row);
              return (
                <LinkRow
                  key={row}
                  row={row}
                  link={link}
                  columns={columns}
                  height={rowHeight}
                  isActive={row === cursor.at}
                  isSelected={link !== undefined && isSelectedLink(selection.selected, link)}
                />
              );
            })}
          </div>
          {edited !== null && (
            <Suspense fallback={null}>
              <RowEditor
                key={`${edited.link.domain}/${edited.link.code}`}
                link={edited.link}
                field={edited.field}
                top={Math.max(0, Math.min(sight.topOf(edited.row), sight.height - rowHeight))}
                onClose={() => {
                  setEdited(null);
                  scroller.current?.focus({ preventScroll: true });
                }}
              />
            </Suspense>
          )}
        </div>
      </div>
    </>
  );
}
