/** The focus goes back to the page when what held it is gone: a dialog, a menu's item, a notice. */
import { useEffect } from "react";

/** Whoever closes something may have put it somewhere by then. */
const GRACE_MS = 30;
/** What closes may hold it a while longer. */
const MOST_LOOKS = 40;

const page = (): HTMLElement | null => document.getElementById("root");

/** What takes the focus is there. */
let takers = 0;
let last: HTMLElement | null = null;
let list: HTMLElement | null = null;

/** Dialogs, menus and notices stand outside of the page's element. */
document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLElement) || !page()?.contains(target)) return;
  last = target;
  list = target.closest<HTMLElement>("[role=grid]") ?? list;
});

export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

/** To what had it last on the page, or to the list of it. */
export function giveFocusBack(looks = MOST_LOOKS): void {
  setTimeout(() => {
    if (takers > 0) return;
    if (!isFocusLost()) {
      if (!page()?.contains(document.activeElement) && looks > 1) giveFocusBack(looks - 1);
      return;
    }
    const next = [last, list].find((element) => element?.isConnected === true);
    next?.focus({ preventScroll: true });
  }, GRACE_MS);
}

/** Stands in what takes the focus while it is there. */
export function FocusBack() {
  useEffect(() => {
    takers++;
    return () => {
      takers--;
      giveFocusBack();
    };
  }, []);
  return null;
}
