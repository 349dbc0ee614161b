import type { RefObject } from "react";

const FRAMES = 4;
/** Parts that are no fields are marked as such. */
const WRONG = "[aria-invalid=true], [data-wrong]";

export const hasError = (form: HTMLElement | null): boolean =>
  form !== null && form.querySelector(WRONG) !== null;

/** After the errors are painted, and what hid them has opened. The field stands above the buttons that stay in sight. */
export function focusFirstError(form: RefObject<HTMLElement | null>, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const field = form.current?.querySelector<HTMLElement>(WRONG);
    field?.focus({ preventScroll: true });
    if (field && field === document.activeElement) field.scrollIntoView({ block: "center" });
    else if (frames > 0) focusFirstError(form, frames - 1);
  });
}
