import { useLingui } from "@lingui/react/macro";
import { Dialog } from "../dialogs/dialog.tsx";
import { Keys } from "./keys.tsx";
import classes from "./keys.module.css";
import { type ShortcutGroup, type ShortcutId, SHORTCUTS, shortcutsOf } from "./shortcuts.ts";

type Props = {
  isOpen: boolean;
  onClose(): void;
  /** Those that the account may open, with the letter after G. */
  pages: readonly { label: string; key: string }[];
};

type Line = { does: string; keys: readonly (readonly string[])[] };

/** All shortcuts. */
export function KeysSheet({ isOpen, onClose, pages }: Props) {
  const { t } = useLingui();
  const titles: Record<ShortcutGroup, string> = {
    anywhere: t`Anywhere`,
    item: t`The open or chosen entry`,
    list: t`In lists`,
  };
  const texts: Record<ShortcutId, string> = {
    find: t`Search or run a command…`,
    help: t`Keyboard shortcuts`,
    search: t`Search the list`,
    filter: t`Add a filter`,
    new: t`New link, share, folder, token …`,
    paste: t`Shorten and copy the URL in the clipboard`,
    upload: t`Upload files`,
    undo: t`Undo the newest change`,
    submit: t`Save the form`,
    copy: t`Copy the short URL`,
    "copy-files": t`Copy files, to paste them in another folder`,
    qr: t`QR code`,
    edit: t`Edit`,
    visit: t`Open the short URL`,
    rename: t`Edit in the row, or rename`,
    share: t`Share the file or folder`,
    delete: t`Delete`,
    menu: t`Menu of the row`,
    down: t`Next row`,
    up: t`Previous row`,
    "page-down": t`Next screen`,
    "page-up": t`Previous screen`,
    start: t`First row`,
    end: t`Last row`,
    open: t`Open`,
    above: t`Folder above`,
    select: t`Select`,
    range: t`Select a range`,
    all: t`Select all that the list finds`,
    none: t`Select none`,
  };
  const linesOf = (group: ShortcutGroup): Line[] =>
    shortcutsOf(group).map((id) => ({ does: texts[id], keys: SHORTCUTS[id].map((key) => [key]) }));
  const groups: [string, Line[]][] = [
    [titles.anywhere, linesOf("anywhere")],
    [titles.item, linesOf("item")],
    [titles.list, linesOf("list")],
    [t`Go to`, pages.map(({ label, key }) => ({ does: label, keys: [["g", key]] }))],
  ];
  return (
    <Dialog title={t`Keyboard shortcuts`} isOpen={isOpen} onClose={onClose} size="68rem">
      <div className={classes["sheet"]}>
        {groups.map(([title, lines]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {lines.map(({ does, keys }) => (
                <div key={does}>
                  <dt>
                    {keys.map((combination) => (
                      <Keys key={combination.join(" ")} of={combination} />
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
