import { useLingui } from "@lingui/react/macro";
import { Dialog } from "../../ui/dialog.tsx";
import classes from "./list.module.css";

export function KeysHelp({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { t } = useLingui();
  const keys: [string[], string][] = [
    [["↑", "↓"], t`Go through the links (or K and J)`],
    [["X"], t`Select the link`],
    [["Shift", "↑", "↓"], t`Select a range`],
    [["Ctrl", "A"], t`Select all that the list finds`],
    [["Esc"], t`Select none`],
    [["Enter"], t`Edit in the row`],
    [["E"], t`Edit all fields`],
    [["C"], t`Copy the link`],
    [["O"], t`Open the link`],
    [["Q"], t`QR code`],
    [["V"], t`Clicks and history`],
    [["Delete"], t`Delete the link, or what is selected`],
    [["Ctrl", "Z"], t`Take back the newest change`],
    [["N"], t`New link`],
    [["/"], t`Search`],
  ];
  return (
    <Dialog title={t`Keys`} isOpen={isOpen} onClose={onClose}>
      <dl className={classes["keys"]}>
        {keys.map(([names, does]) => (
          <div key={does}>
            <dt>
              {names.map((name) => (
                <kbd key={name} className={classes["key"]}>
                  {name}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
