/** Whether an input method is composing. A field that is removed meanwhile loses its text. */

let composing: Promise<unknown> | null = null;

addEventListener("compositionstart", () => {
  composing ??= new Promise((resolve) => addEventListener("compositionend", resolve, { once: true }));
  void composing.then(() => (composing = null));
});

/** Resolves at once when none is. */
export const compositionEnded = (): Promise<unknown> => composing ?? Promise.resolve();
