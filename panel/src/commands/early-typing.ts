/** ⌘K, and what is typed after it, while the page itself still loads. */

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

/** Until the commands take it, or a field is there, such as that of the sign-in. */
export function heedEarlyTyping(): void {
  ended = new AbortController();
  const { signal } = ended;
  addEventListener("keydown", onKey, { signal });
  addEventListener("focusin", takeEarlyTyping, { signal });
}

/** What is to stand in the field of the commands. Null when nobody called them, and from then on. */
export function takeEarlyTyping(): string | null {
  ended.abort();
  const taken = typed;
  typed = null;
  return taken;
}
