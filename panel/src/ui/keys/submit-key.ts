import type { KeyboardEvent } from "react";

/**
 * Ctrl+Enter (⌘Enter) in any field presses the form's button: nothing happens while that is disabled, such as during the
 * request before, or while the keys are held down.
 */
export function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  // A button that has the focus would be pressed as well.
  event.preventDefault();
  if (!event.repeat) event.currentTarget.querySelector<HTMLElement>("[type=submit]")?.click();
}
