/** Notices of what was done, each with a way back: its button, or Ctrl+Z (⌘Z) for the newest. */
import { Trans } from "@lingui/react/macro";
import { Button, Group } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import type { FocusEvent, ReactNode } from "react";
import { giveFocusBack } from "./focus-back.ts";

const SHOWN_MS = 10_000;
/** Keys reach that far back, also when the notice is gone. */
const MOST_OFFERS = 20;

type UndoNotice = { message: ReactNode; onUndo(): void; more?: ReactNode };
type Offer = { id: string; take(): void };

let offers: readonly Offer[] = [];

const withdraw = (id: string): void => {
  offers = offers.filter((offer) => offer.id !== id);
};

/** Returns what takes the notice and its offer away. */
export function showUndo({ message, onUndo, more }: UndoNotice): () => void {
  const text = (
    <Group justify="space-between" wrap="nowrap">
      <div style={{ overflowWrap: "anywhere", minWidth: 0 }}>{message}</div>
      <Group gap="xs" justify="end" style={{ flexShrink: 0 }}>
        {more}
        <Button
          size="compact-xs"
          variant="light"
          aria-keyshortcuts="Control+Z Meta+Z"
          onClick={() => {
            take();
            giveFocusBack();
          }}
        >
          <Trans>Undo</Trans>
        </Button>
      </Group>
    </Group>
  );
  const id = notifications.show({
    message: text,
    autoClose: SHOWN_MS,
    // It stays while somebody is in it.
    onFocusCapture({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) {
      if (currentTarget.contains(relatedTarget)) return;
      notifications.update({ id, message: text, autoClose: false });
    },
    onBlurCapture({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) {
      if (currentTarget.contains(relatedTarget)) return;
      notifications.update({ id, message: text, autoClose: SHOWN_MS });
    },
  });
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

/** In fields the browser takes back what was typed. */
export const useUndoKeys = (): void => useHotkeys([["mod+Z", () => offers.at(-1)?.take()]]);
