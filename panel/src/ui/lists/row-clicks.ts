/** Clicks on rows that open as a whole. */
import type { MouseEvent } from "react";

const PARTS = "a, button, input, label, form, [role=menu]";

/** A click that opens the row: neither selects text or rows nor is one of a part of it, or the second of a double click. */
export const isPlainClick = (event: MouseEvent<HTMLElement>): boolean =>
  !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) &&
  event.detail < 2 &&
  (event.target as HTMLElement).closest(PARTS) === null &&
  getSelection()?.isCollapsed !== false;

type Point = { clientX: number; clientY: number };

/** Opens the menu of a row at the pointer, or at its button if a key asked for it. False without a row. */
export function openRowMenu(row: Element | null | undefined, at?: Point): boolean {
  const button = row?.querySelector<HTMLElement>("[aria-haspopup=menu]");
  const { clientX = 0, clientY = 0 } = at ?? {};
  button?.dispatchEvent(new PointerEvent("click", { bubbles: true, cancelable: true, clientX, clientY }));
  return Boolean(button);
}
