/** Keeps ⌘K, and what is typed after it, while the page still loads. */

let typed: string | null = null;
let ended = new AbortController();

function onKey(event: KeyboardEvent): void {
  const { key } = event;
  if (event.isComposing || event.altKey) return;
  if (event.metaKey || event.ctrlKey) {
    if (key.toLowerCase() !== "k" || event.shiftKey) return;
    typed = typed === null ? "" : null;
  } else {
    if (typed === null) return;
    if (key === "Escape") typed = null;
    else if (key === "Backspace") typed = typed.slice(0, -1);
    else if (key.length === 1) typed += key;
    else return;
  }
  event.preventDefault();
}

/** Until the commands take it, or there is another field, such as that of the sign-in. */
export function heedEarlyTyping(): void {
  ended = new AbortController();
  const { signal } = ended;
  addEventListener("keydown", onKey, { signal });
  addEventListener("focusin", takeEarlyTyping, { signal });
}

/** The initial text of the commands. Null if nobody opened them, and after the first call. */
export function takeEarlyTyping(): string | null {
  ended.abort();
  const taken = typed;
  typed = null;
  return taken;
}
