import { Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { FocusEvent, ReactNode } from "react";

const SHOWN_MS = 10_000;

/** A notice with buttons. It stays while it has the focus or the pointer. Returns its id. */
export function showActions(message: ReactNode, actions: ReactNode): string {
  const text = (
    <Group justify="space-between" gap="xs">
      <div style={{ flex: "1 1 8rem", overflowWrap: "anywhere", minWidth: 0 }}>{message}</div>
      <Group gap="xs" justify="end" ml="auto" style={{ flexShrink: 0 }}>
        {actions}
      </Group>
    </Group>
  );
  const id = notifications.show({
    message: text,
    autoClose: SHOWN_MS,
    onFocusCapture({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) {
      if (currentTarget.contains(relatedTarget)) return;
      notifications.update({ id, message: text, autoClose: false });
    },
    onBlurCapture({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) {
      if (currentTarget.contains(relatedTarget)) return;
      notifications.update({ id, message: text, autoClose: SHOWN_MS });
    },
  });
  return id;
}
