/** Returns the focus to the page when what had it is gone: a dialog, a menu item, a notice. */
import { useEffect, useEffectEvent } from "react";

/** The code that closes something may set the focus within this time. */
const GRACE_MS = 30;
/** A closing element may keep the focus a while longer. */
const MOST_LOOKS = 40;

const page = (): HTMLElement | null => document.getElementById("root");

/** Number of elements that take the focus themselves. */
let takers = 0;
let last: HTMLElement | null = null;
let list: HTMLElement | null = null;

/** Dialogs, menus and notices are outside the page's element. */
document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLElement) || !page()?.contains(target)) return;
  last = target === content() ? null : target;
  list = target.closest<HTMLElement>("[role=grid], [data-holds-rows]") ?? list;
});

/** The page without its frame. */
export const content = (): HTMLElement | null => document.getElementById("content");

/** No element of the page has it. */
export const isFocusLost = (): boolean =>
  [null, document.body, content()].includes(document.activeElement as HTMLElement | null);

type Other = () => HTMLElement | null;

/**
 * Returns the focus to the element of the page that had it last, to its list, to another element, or to the start of
 * the content.
 */
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

/** Part of an element that takes the focus. `other`: the element to focus if the page stays. */
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
