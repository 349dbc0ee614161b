/** Notices of what was done, each with undo: its button, or Ctrl+Z (⌘Z) for the newest. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { whenSignedOut } from "../../base/session-end.ts";
import { showActions } from "./action-notice.tsx";
import { giveFocusBack } from "../focus-back.ts";
import { hinted } from "../keys/shortcuts.ts";

/** Keys undo up to this many actions, even after the notice is gone. */
const MOST_OFFERS = 20;

type UndoNotice = { message: ReactNode; onUndo(): void; more?: ReactNode };
type Offer = { id: string; take(): void };

let offers: readonly Offer[] = [];

const withdraw = (id: string): void => {
  offers = offers.filter((offer) => offer.id !== id);
};

/** Returns a function that removes the notice and its offer. */
export function showUndo({ message, onUndo, more }: UndoNotice): () => void {
  const id = showActions(
    message,
    <>
      {more}
      <Button
        size="compact-xs"
        variant="light"
        {...hinted(t`Undo`, "undo")}
        onClick={() => {
          take();
          giveFocusBack();
        }}
      >
        <Trans>Undo</Trans>
      </Button>
    </>,
  );
  const hide = (): void => {
    withdraw(id);
    notifications.hide(id);
  };
  const take = (): void => {
    hide();
    onUndo();
  };
  offers = [...offers.slice(1 - MOST_OFFERS), { id, take }];
  return hide;
}

// The next account neither sees nor undoes what one account did.
whenSignedOut(() => {
  offers = [];
  notifications.clean();
});

export const undoNewest = (): void => offers.at(-1)?.take();
