/** Whether an input method is at work. A field that goes in the middle of its work loses what it holds. */

let composing: Promise<unknown> | null = null;

addEventListener("compositionstart", () => {
  composing ??= new Promise((resolve) => addEventListener("compositionend", resolve, { once: true }));
  void composing.then(() => (composing = null));
});

/** Resolves at once when none is. */
export const compositionEnded = (): Promise<unknown> => composing ?? Promise.resolve();
