import classes from "./keys.module.css";
import { ariaKeysOf, keySigns, type ShortcutId, signsOf } from "./shortcuts.ts";

type Props = {
  /** A shortcut, or keys. */
  of: ShortcutId | readonly string[];
  /** Shown where the pointer is. */
  isQuiet?: boolean;
};

/** Keys as they are pressed. Names of buttons do without them. */
export function Keys({ of, isQuiet = false }: Props) {
  const signs = typeof of === "string" ? signsOf(of) : of.flatMap(keySigns);
  return (
    <span aria-hidden className={classes["keys"]} data-quiet={isQuiet || undefined}>
      {signs.map((sign) => (
        <kbd key={sign}>{sign}</kbd>
      ))}
    </span>
  );
}

/** For an item of a menu, or a button with room at its right. */
export const shownKeys = (id: ShortcutId) => ({
  rightSection: <Keys of={id} />,
  "aria-keyshortcuts": ariaKeysOf(id),
});
