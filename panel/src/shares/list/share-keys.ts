import type { Share } from "../../base/api.ts";
import { copyAndTell } from "../../ui/copy/copy-notice.ts";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { openRowMenu } from "../../ui/lists/row-clicks.ts";
import type { ShareAction } from "./share-menu.tsx";

type Options = { share(row: number): Share | undefined; onChoose(action: ShareAction, share: Share): void };

const focusedRow = () => document.activeElement?.closest<HTMLElement>("tr[data-index]");

/** Shortcuts of the row with the focus. Arrows, J and K go from row to row. */
export function useShareKeys({ share, onChoose }: Options): void {
  const onFocused = (run: (share: Share) => void) => (): boolean => {
    const row = focusedRow();
    const known = row && share(Number(row.dataset["index"]));
    if (known) run(known);
    return known !== undefined && known !== null;
  };
  const step =
    (side: "nextElementSibling" | "previousElementSibling") =>
    ({ key }: KeyboardEvent) => {
      const row = focusedRow();
      // Without one, arrows scroll the page.
      if (!row && key.startsWith("Arrow")) return false;
      const next = row ? row[side] : document.querySelector("main tr[data-index]");
      next?.querySelector<HTMLElement>("button:enabled, a")?.focus();
      return true;
    };
  useShortcuts({
    down: step("nextElementSibling"),
    up: step("previousElementSibling"),
    menu: () => openRowMenu(focusedRow()),
    copy: onFocused(({ short_url: address }) => void copyAndTell(address)),
    visit: onFocused(({ short_url: address }) => window.open(address, "_blank", "noopener,noreferrer")),
    qr: onFocused((one) => onChoose("qr", one)),
    edit: onFocused((one) => onChoose("open", one)),
    delete: onFocused((one) => onChoose("end", one)),
  });
}
