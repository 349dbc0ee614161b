import { useLingui } from "@lingui/react/macro";
import { Drawer } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import { useBackCloses } from "../back-closes.ts";
import { FocusBack } from "../focus-back.ts";

type Props = { title: string; isOpen: boolean; onClose(): void; children: ReactNode };

/** Pixels down from the title that close it. */
const SWIPE = 48;

/** Fields that a phone shows over the end of the page. A swipe down closes them too. */
export function Sheet({ title, isOpen, onClose, children }: Props) {
  const { t } = useLingui();
  useBackCloses(isOpen, onClose);
  const from = useRef<number | null>(null);
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="bottom" size="auto">
      <Drawer.Overlay />
      <Drawer.Content
        radius="lg"
        style={{ height: "auto", maxHeight: "90dvh", paddingBottom: "env(safe-area-inset-bottom)" }}
      >
        <Drawer.Header
          role="presentation"
          style={{ touchAction: "none" }}
          onTouchStart={({ touches }) => (from.current = touches.length === 1 ? touches[0]!.clientY : null)}
          onTouchEnd={({ changedTouches }) => {
            if (from.current !== null && changedTouches[0]!.clientY - from.current > SWIPE) onClose();
          }}
        >
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
