/** Keys of the list. */
import { isFocusLost } from "../../ui/focus-back.ts";
import { isForPage, isGoingToPage } from "../../ui/keys/page-keys.ts";
import { type ShortcutId, shortcutOf } from "../../ui/keys/shortcuts.ts";

export type LinkAction =
  | "open"
  | "copy"
  | "page"
  | "qr"
  | "form"
  | "edit"
  | "delete"
  | "tag"
  | "toggle"
  | "menu"
  | "new"
  | "all"
  | "none";

const MOVES = ["up", "down", "page-up", "page-down", "start", "end"] as const satisfies ShortcutId[];
export type RowMove = (typeof MOVES)[number];

export type RowKey = { action: LinkAction } | { move: RowMove; isExtending: boolean };

const ACTIONS: Partial<Record<ShortcutId, LinkAction>> = {
  visit: "open",
  copy: "copy",
  open: "page",
  qr: "qr",
  edit: "form",
  new: "new",
  select: "toggle",
  rename: "edit",
  delete: "delete",
  above: "delete",
  menu: "menu",
  all: "all",
  none: "none",
};

/** Null for other keys. */
export function rowKeyOf(event: KeyboardEvent): RowKey | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const plain = /^[JK]$/.test(key) ? key.toLowerCase() : key;
  const step = shortcutOf({ key: plain, ctrlKey, metaKey, altKey, shiftKey: false });
  const move = MOVES.find((one) => one === step);
  if (move !== undefined) return { move, isExtending: shiftKey };
  const action = ACTIONS[shortcutOf(event) ?? "help"];
  return action === undefined ? null : { action };
}

/** Even if the focus is beside the list, such as on the menu, or on the button of the filters. */
const ANYWHERE = new Set<ShortcutId | undefined>(["new", "all"]);
const KEYS_ANYWHERE = new Set(["j", "k"]);

/** Whether a key pressed there is for the list, which may be empty. */
export function isForRows(event: KeyboardEvent, list: HTMLElement | null): boolean {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || isGoingToPage()) return false;
  if (target.matches("[data-row] input")) return true;
  const isAnywhere = KEYS_ANYWHERE.has(key) || ANYWHERE.has(shortcutOf(event));
  return isForPage(target) && (isAnywhere || isFocusLost() || list?.contains(target) === true);
}
