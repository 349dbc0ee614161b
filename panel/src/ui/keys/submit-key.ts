import type { KeyboardEvent } from "react";

/**
 * Ctrl+Enter (⌘Enter) in any field presses the form's button. Nothing happens while the button is disabled, for
 * example during a request, or while the keys are held down.
 */
export function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  // The browser would also press the focused button.
  event.preventDefault();
  if (!event.repeat) event.currentTarget.querySelector<HTMLElement>("[type=submit]")?.click();
}
