/** Whether what is pasted or pressed there belongs to a field or dialog. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest("input, textarea, select, [role=textbox], [role=dialog]") !== null);
