/** Times in fields of the browser, which know no time zone. */
const MINUTE_MS = 60_000;

/** For `<input type="datetime-local">`; empty for none. */
export function localOf(time: string | null): string {
  if (time === null) return "";
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Null for an empty field. */
export const timeOfLocal = (local: string): string | null =>
  local === "" ? null : new Date(local).toISOString();
