/** The focus goes back to the page when what held it is gone: a dialog, a menu's item, a notice. */
import { useEffect, useEffectEvent } from "react";

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
  last = target === content() ? null : target;
  list = target.closest<HTMLElement>("[role=grid], [data-holds-rows]") ?? list;
});

/** The page without its frame. */
export const content = (): HTMLElement | null => document.getElementById("content");

/** Nothing on the page has it. */
export const isFocusLost = (): boolean =>
  [null, document.body, content()].includes(document.activeElement as HTMLElement | null);

type Other = () => HTMLElement | null;

/** To what had it last on the page, to the list of it, to another element, or to the start of the content. */
export function giveFocusBack(other?: Other, looks = MOST_LOOKS): void {
  setTimeout(() => {
    if (takers > 0) return;
    if (!isFocusLost()) {
      if (!page()?.contains(document.activeElement) && looks > 1) giveFocusBack(other, looks - 1);
      return;
    }
    const next = [last, list].find((element) => element?.isConnected === true) ?? other?.() ?? content();
    next?.focus({ preventScroll: true });
  }, GRACE_MS);
}

/** Stands in what takes the focus while it is there. The other element is for whoever stays on the page. */
export function FocusBack({ other }: { other?: Other }) {
  const otherNow = useEffectEvent(() => other?.() ?? null);
  useEffect(() => {
    const from = location.pathname;
    takers++;
    return () => {
      takers--;
      giveFocusBack(() => (location.pathname === from ? otherNow() : null));
    };
  }, []);
  return null;
}
