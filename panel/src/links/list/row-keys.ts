/** Keys of the list. */
import { isFocusLost } from "../../ui/focus-back.ts";
import { isForPage } from "../../ui/keys/page-keys.ts";

export type RowDeed =
  | "open"
  | "copy"
  | "page"
  | "qr"
  | "form"
  | "edit"
  | "delete"
  | "toggle"
  | "menu"
  | "new"
  | "help"
  | "all"
  | "none";

export type RowMove = "up" | "down" | "page-up" | "page-down" | "start" | "end";

export type RowKey = { deed: RowDeed } | { move: RowMove; isExtending: boolean };

const MOVES: Record<string, RowMove> = {
  ArrowUp: "up",
  k: "up",
  ArrowDown: "down",
  j: "down",
  PageUp: "page-up",
  PageDown: "page-down",
  Home: "start",
  End: "end",
};

const DEEDS: Record<string, RowDeed> = {
  o: "open",
  c: "copy",
  v: "page",
  q: "qr",
  e: "form",
  n: "new",
  x: "toggle",
  " ": "toggle",
  F2: "edit",
  Enter: "edit",
  Delete: "delete",
  Backspace: "delete",
  Escape: "none",
  "?": "help",
};

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** Null for other keys. */
export function rowKeyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): RowKey | null {
  if (altKey) return null;
  if (ctrlKey || metaKey) return key.toLowerCase() === "a" && !shiftKey ? { deed: "all" } : null;
  const plain = shiftKey && /^[JK]$/.test(key) ? key.toLowerCase() : key;
  const move = MOVES[plain];
  if (move !== undefined) return { move, isExtending: shiftKey };
  const deed = DEEDS[plain];
  return deed === undefined || (shiftKey && deed !== "help") ? null : { deed };
}

/** Even if the focus is beside the list, such as on the menu. */
const KEYS_ANYWHERE = new Set(["j", "k", "n", "?"]);

/** Whether a key pressed there is for the list, which may be empty. */
export function isForRows({ target, key }: KeyboardEvent, list: HTMLElement | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("[data-row] input")) return true;
  return isForPage(target) && (KEYS_ANYWHERE.has(key) || isFocusLost() || list?.contains(target) === true);
}
