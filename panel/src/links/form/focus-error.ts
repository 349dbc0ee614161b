import type { RefObject } from "react";

const FRAMES = 3;

/** After the errors are painted. */
export function focusFirstError(form: RefObject<HTMLElement | null>, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const field = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    if (field) field.focus();
    else if (frames > 0) focusFirstError(form, frames - 1);
  });
}
