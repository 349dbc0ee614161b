/** What clicks and keys do in the grid of links. */
import { type FocusEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import { isPlainClick } from "../../ui/lists/row-clicks.ts";
import type { RowCursor } from "./row-cursor.ts";
import { isForRows, type LinkAction, rowKeyOf } from "./row-keys.ts";
import type { MenuPlace } from "./row-menu.tsx";
import type { LinkRows } from "./rows.ts";
import { countOfSelected, type LinkSelection } from "./selection.ts";

type Props = {
  scroller: RefObject<HTMLElement | null>;
  rows: LinkRows;
  cursor: RowCursor;
  selection: LinkSelection;
  /** Actions that the grid leaves to others, with their link. */
  onAction(action: LinkAction, link: Link | undefined): void;
  onTag(tag: string): void;
  /** Before somebody edits a row. */
  onKeys(): void;
};

export function useGridActions({ scroller, rows, cursor, selection, onAction, onTag, onKeys }: Props) {
  const [edited, setEdited] = useState<{ row: number; link: Link } | null>(null);
  /** `from` has the focus when the menu is closed. */
  const [menu, setMenu] = useState<{ row: number; from: HTMLElement; place: MenuPlace } | null>(null);

  function edit(row: number): void {
    const link = rows.link(row);
    if (link !== undefined) setEdited({ row, link });
  }

  function run(action: LinkAction, row: number | null, from: HTMLElement | null): void {
    const link = row === null ? undefined : rows.link(row);
    const isOfSelection = action === "delete" && from === null && countOfSelected(selection.selected) > 0;
    if (isOfSelection) onAction("delete", undefined);
    else if (action === "all") {
      if (rows.isCounted) selection.set({ kind: "all", finding: rows.shown, total: rows.total });
    } else if (action === "none") selection.clear();
    else if (action === "toggle") {
      if (link === undefined || row === null) return;
      cursor.put(row);
      selection.toggle(link, rows.known());
      // The bar of the selection may have risen over it.
      requestAnimationFrame(() => cursor.reveal(row));
    } else if (action === "edit") {
      if (row !== null) edit(row);
    } else if (action === "menu") {
      const opener = from ?? menuButton(row);
      if (row === null || !opener) return;
      const { left, top, width, height } = opener.getBoundingClientRect();
      setMenu({ row, from: opener, place: { left, top, width, height } });
    } else onAction(action, link);
  }

  const menuButton = (row: number | null) =>
    scroller.current?.querySelector<HTMLElement>(`[data-row="${row}"] [data-action=menu]`);

  /** By the right button, or by a key that the browser has for it. */
  function onContextMenu(event: MouseEvent<HTMLElement>): void {
    const over = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    const row = over === null ? null : Number(over.dataset["row"]);
    const from = menuButton(row);
    if (row === null || !from || (event.target as HTMLElement).closest("form") !== null) return;
    event.preventDefault();
    cursor.put(row);
    setMenu({ row, from, place: { left: event.clientX, top: event.clientY, width: 0, height: 0 } });
  }

  function onClick(event: MouseEvent<HTMLElement>): void {
    const target = event.target as HTMLElement;
    const element = target.closest<HTMLElement>("[data-row]");
    if (element === null) return;
    const row = Number(element.dataset["row"]);
    const pressed = target.closest<HTMLElement>("[data-action]");
    const action = pressed?.dataset["action"] as LinkAction | undefined;
    const isModified = event.ctrlKey || event.metaKey;
    if (event.shiftKey && (action === undefined || action === "toggle")) return void cursor.extendTo(row);
    if (action === "page") {
      if (isModified || event.shiftKey) return;
      event.preventDefault();
    }
    if (action === undefined && !isPlainClick(event)) {
      if (isModified) run("toggle", row, null);
      else cursor.put(row);
      scroller.current?.focus({ preventScroll: true });
      return;
    }
    cursor.put(row);
    if (action === undefined) return run("page", row, null);
    if (action === "tag") return onTag(pressed!.dataset["tag"]!);
    run(action, row, pressed);
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
    // A key outside of it would close the menu.
    if ("action" in key && key.action === "menu") event.stopPropagation();
    if ("move" in key) cursor.move(key.move, key.isExtending);
    else run(key.action, cursor.at, null);
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
    closeMenu() {
      setMenu(null);
      menu?.from.focus({ preventScroll: true });
    },
    run,
    onClick,
    onContextMenu,
    onFocus,
  };
}
