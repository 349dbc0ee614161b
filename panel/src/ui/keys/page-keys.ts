/** Keys of a page, wherever the focus is on it. None acts while somebody types. */
import { useEffect, useEffectEvent, useRef } from "react";
import { type ShortcutId, shortcutOf } from "./shortcuts.ts";

const OWN_KEYS = "input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]";
/** Between G and the letter of a page. */
const SEQUENCE_MS = 1_500;

/** Whether the target handles no keys itself and nothing covers the page. */
export const isForPage = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement &&
  target.closest(OWN_KEYS) === null &&
  document.querySelector("[aria-modal=true]") === null;

/** False: it did nothing, and the key keeps its meaning. */
type Handler = (event: KeyboardEvent) => unknown;
type Handlers = Readonly<Partial<Record<ShortcutId, Handler>>>;

/** Of the parts of the page, the newest last. */
const bound: { current: Handlers }[] = [];
let general: Handlers = {};
/** When G was pressed. */
let goingSince = -Infinity;

/** The next key names a page. */
export const isGoingToPage = (): boolean => performance.now() - goingSince < SEQUENCE_MS;

/** What is newest on the page and knows the shortcut does it. False if nothing does. */
export function runShortcut(id: ShortcutId, event = new KeyboardEvent("keydown")): boolean {
  const run = bound.findLast(({ current }) => current[id] !== undefined)?.current[id] ?? general[id];
  return run !== undefined && run(event) !== false;
}

/** While the part of the page is there. */
export function useShortcuts(handlers: Handlers): void {
  const own = useRef(handlers);
  own.current = handlers;
  useEffect(() => {
    bound.push(own);
    return () => void bound.splice(bound.indexOf(own), 1);
  }, []);
}

/** Editors that are open on the page, the newest last. Each closes without saving. */
const editors: { readonly current: () => void }[] = [];

/**
 * While this editor is open, what is typed beside it does nothing, and Escape closes it wherever the focus is. The
 * editor itself handles keys inside it.
 */
export function useOpenEditor(close: () => void): void {
  const own = useRef(close);
  own.current = close;
  useEffect(() => {
    editors.push(own);
    return () => void editors.splice(editors.indexOf(own), 1);
  }, []);
}

const isTyped = (key: string): boolean => key.length === 1 || key === "Backspace" || key === "Delete";

/**
 * Hears the keys of all pages. Call it once.
 *
 * @param others what no part of the page does
 * @param go false if no page has the key
 */
export function usePageKeys(others: Handlers, go: (key: string) => boolean): void {
  general = others;
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isGoing = isGoingToPage();
    goingSince = -Infinity;
    if (event.defaultPrevented || event.isComposing || event.repeat || !isForPage(event.target)) return;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const editor = editors.at(-1);
    if (editor !== undefined && isPlain && event.key === "Escape") {
      event.preventDefault();
      editor.current();
    } else if (editor !== undefined && isPlain && isTyped(event.key)) return;
    else if (isPlain && event.key === "g" && !isGoing) goingSince = performance.now();
    else if (isPlain && isGoing) {
      if (go(event.key)) event.preventDefault();
    } else {
      const id = shortcutOf(event);
      if (id !== undefined && runShortcut(id, event)) event.preventDefault();
    }
  });
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
