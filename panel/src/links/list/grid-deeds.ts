/** What clicks and keys do in the grid of links. */
import { type FocusEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import type { RowCursor } from "./row-cursor.ts";
import { isForRows, type RowDeed, rowKeyOf } from "./row-keys.ts";
import type { LinkRows } from "./rows.ts";
import { countOfSelected, type LinkSelection } from "./selection.ts";

type Props = {
  scroller: RefObject<HTMLElement | null>;
  rows: LinkRows;
  cursor: RowCursor;
  selection: LinkSelection;
  /** Actions that the grid leaves to others, with their link. */
  onDeed(deed: RowDeed, link: Link | undefined): void;
  /** Before somebody edits a row. */
  onKeys(): void;
};

export function useGridDeeds({ scroller, rows, cursor, selection, onDeed, onKeys }: Props) {
  const [edited, setEdited] = useState<{ row: number; link: Link; field: string } | null>(null);
  const [menu, setMenu] = useState<{ row: number; from: HTMLElement } | null>(null);

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

  function onDoubleClick(event: MouseEvent<HTMLElement>): void {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-row]")?.dataset["row"];
    if (row === undefined || target.closest("[data-deed]") !== null) return;
    edit(Number(row), target.closest<HTMLElement>("[data-cell]")?.dataset["cell"]);
  }

  function onFocus(event: FocusEvent<HTMLElement>): void {
    if (event.target !== event.currentTarget) return;
    const isFromSearch = event.relatedTarget?.matches("[role=search] input") === true;
    if (isFromSearch || cursor.at === null) cursor.putInSight();
  }

  const onKey = useRef<(event: KeyboardEvent) => void>(undefined);
  onKey.current = (event) => {
    if (event.defaultPrevented || edited !== null || !isForRows(event, scroller.current)) return;
    const isOnButton = (event.target as HTMLElement).closest("button, a, input") !== null;
    if (isOnButton && (event.key === "Enter" || event.key === " ")) return;
    const key = rowKeyOf(event);
    if (key === null) return;
    onKeys();
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

  return {
    edited,
    endEdit() {
      setEdited(null);
      scroller.current?.focus({ preventScroll: true });
    },
    menu,
    closeMenu: () => setMenu(null),
    run,
    onClick,
    onDoubleClick,
    onFocus,
  };
}
