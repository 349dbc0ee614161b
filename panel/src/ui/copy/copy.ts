/**
 * Copies a text, even one that is still loading. False if the browser does not let pages copy (plain HTTP off
 * localhost, or no gesture of a person).
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  if (navigator.clipboard === undefined) return copyBySelection(await text);
  try {
    if (typeof text === "string") await navigator.clipboard.writeText(text);
    else {
      const blob = text.then((known) => new Blob([known], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    }
    return true;
  } catch {
    return copyBySelection(await text);
  }
}

/** Copies the address of what is being made: called at a press, browsers let the page copy when it is. */
export async function copyMade<T>(
  made: Promise<T>,
  addressOf: (saved: T) => string,
): Promise<{ saved: T; isCopied: boolean }> {
  const copied = copyText(made.then(addressOf)).catch(() => false);
  return { saved: await made, isCopied: await copied };
}

/** For browsers without the clipboard API. */
function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only way over plain HTTP
    return document.execCommand("copy");
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
