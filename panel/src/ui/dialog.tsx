import { useLingui } from "@lingui/react/macro";
import { CloseButton, Modal } from "@mantine/core";
import type { ReactNode } from "react";

type Props = { title: string; isOpen: boolean; onClose(): void; children: ReactNode };

/** A small window over the page. */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  const { t } = useLingui();
  return (
    <Modal.Root opened={isOpen} onClose={onClose} centered>
      <Modal.Overlay />
      <Modal.Content>
        {/* The page has its banner already. */}
        <Modal.Header role="presentation">
          <Modal.Title fw={600}>{title}</Modal.Title>
          <CloseButton aria-label={t`Close`} onClick={onClose} />
        </Modal.Header>
        <Modal.Body>{isOpen && children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
