/** Keys of a page, wherever the focus is on it. */
import { useEffect, useEffectEvent } from "react";

const OWN_KEYS = "input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]";

/** Whether the target handles no keys itself and nothing covers the page. */
export const isForPage = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement &&
  target.closest(OWN_KEYS) === null &&
  document.querySelector("[aria-modal=true]") === null;

/** @param key as typed on any keyboard, with or without Shift */
export function usePageKey(key: string, run: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== key || event.defaultPrevented || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || !isForPage(event.target)) return;
    event.preventDefault();
    run();
  });
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
