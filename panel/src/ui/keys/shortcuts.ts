/** The keys of the panel, a row each: handlers, the sheet of `?`, menus and tooltips follow from it. */
import { t } from "@lingui/core/macro";

/** Keys as events name them, after `Mod+` (Ctrl, or ⌘) or `Shift+`. No key stands twice. */
const GROUPS = {
  anywhere: {
    find: ["Mod+k"],
    help: ["?"],
    new: ["n"],
    paste: ["Mod+v"],
    upload: ["u"],
    undo: ["Mod+z"],
    submit: ["Mod+Enter"],
  },
  item: {
    copy: ["c"],
    "copy-files": ["Mod+c"],
    qr: ["q"],
    edit: ["e"],
    visit: ["o"],
    rename: ["F2"],
    share: ["s"],
    delete: ["Delete"],
    menu: ["ContextMenu", "Shift+F10"],
  },
  list: {
    search: ["/"],
    filter: ["f"],
    down: ["ArrowDown", "j"],
    up: ["ArrowUp", "k"],
    "page-down": ["PageDown"],
    "page-up": ["PageUp"],
    start: ["Home"],
    end: ["End"],
    open: ["Enter"],
    above: ["Backspace"],
    select: ["x", " "],
    range: ["Shift+ArrowDown", "Shift+ArrowUp"],
    all: ["Mod+a"],
    none: ["Escape"],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;

type Groups = typeof GROUPS;
export type ShortcutGroup = keyof Groups;
export type ShortcutId = { [G in ShortcutGroup]: keyof Groups[G] }[ShortcutGroup];

/** Keys by shortcut. */
export const SHORTCUTS: Readonly<Record<ShortcutId, readonly string[]>> = Object.assign(
  {},
  ...Object.values(GROUPS),
);
export const shortcutsOf = (group: ShortcutGroup) => Object.keys(GROUPS[group]) as ShortcutId[];

const byKey = new Map(
  (Object.keys(SHORTCUTS) as ShortcutId[]).flatMap((id) => SHORTCUTS[id].map((key) => [key, id])),
);

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

export function shortcutOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): ShortcutId | undefined {
  if (altKey) return undefined;
  if (ctrlKey || metaKey)
    return shiftKey ? undefined : byKey.get(`Mod+${key.length > 1 ? key : key.toLowerCase()}`);
  // Signs such as ? are typed with Shift on some keyboards.
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase() && key !== " ";
  return byKey.get(shiftKey && !isSign ? `Shift+${key}` : key);
}

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);
const SIGNS: Readonly<Record<string, string>> = {
  ...(IS_APPLE && { Mod: "⌘" }),
  Shift: "⇧",
  ArrowDown: "↓",
  ArrowUp: "↑",
  Escape: "Esc",
  Backspace: "⌫",
  " ": "␣",
  ContextMenu: "☰",
};

function signOf(key: string): string {
  const sign = SIGNS[key];
  if (sign !== undefined) return sign;
  if (key === "Mod") return t({ message: "Ctrl", context: "key" });
  if (key === "Delete") return t({ message: "Del", context: "key" });
  return key.length === 1 ? key.toUpperCase() : key;
}

/** The keys of a combination as they are shown. */
export const keySigns = (combination: string): string[] => combination.split("+").map(signOf);

export const signsOf = (id: ShortcutId): string[] => keySigns(SHORTCUTS[id][0]!);

/** For `aria-keyshortcuts`. */
export const ariaKeysOf = (id: ShortcutId): string =>
  SHORTCUTS[id]
    .map((key) => key.replace("Mod+", IS_APPLE ? "Meta+" : "Control+").replace(/^ $/, "Space"))
    .map((key) =>
      key.replace(/(^|\+)([a-z])$/, (_, before: string, letter: string) => before + letter.toUpperCase()),
    )
    .join(" ");

/** For tooltips. */
export const withKeys = (text: string, id: ShortcutId): string => `${text} (${signsOf(id).join(" ")})`;

/** For a button: its tooltip names the keys. */
export const hinted = (text: string, id: ShortcutId) => ({
  title: withKeys(text, id),
  "aria-keyshortcuts": ariaKeysOf(id),
});
