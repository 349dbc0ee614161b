import { useLingui } from "@lingui/react/macro";
import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { useBackCloses } from "./back-closes.ts";
import { FocusBack } from "./focus-back.ts";

type Props = { title: string; isOpen: boolean; onClose(): void; children: ReactNode };

/** Fields that a phone shows over the end of the page. */
export function Sheet({ title, isOpen, onClose, children }: Props) {
  const { t } = useLingui();
  useBackCloses(isOpen, onClose);
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="bottom" size="auto">
      <Drawer.Overlay />
      <Drawer.Content
        radius="lg"
        style={{ height: "auto", maxHeight: "90dvh", paddingBottom: "env(safe-area-inset-bottom)" }}
      >
        <Drawer.Header role="presentation">
          <Drawer.Title fw={600}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label={t`Close`} />
        </Drawer.Header>
        <Drawer.Body>
          {isOpen && <FocusBack />}
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
