import { useLingui } from "@lingui/react/macro";
import { CloseButton, Modal, type ModalRootProps } from "@mantine/core";
import type { ReactNode } from "react";
import { useBackCloses } from "../back-closes.ts";
import { FocusBack } from "../focus-back.ts";

type Props = {
  title: ReactNode;
  isOpen: boolean;
  onClose(): void;
  size?: ModalRootProps["size"];
  children: ReactNode;
};

/** A small window over the page. */
export function Dialog({ title, isOpen, onClose, size, children }: Props) {
  const { t } = useLingui();
  useBackCloses(isOpen, onClose);
  return (
    <Modal.Root opened={isOpen} onClose={onClose} {...(size !== undefined && { size })} centered>
      <Modal.Overlay />
      <Modal.Content>
        {/* The page has its banner already. */}
        <Modal.Header role="presentation">
          <Modal.Title fw={600} style={{ overflowWrap: "anywhere" }}>
            {title}
          </Modal.Title>
          <CloseButton aria-label={t`Close`} onClick={onClose} />
        </Modal.Header>
        <Modal.Body>
          {isOpen && <FocusBack />}
          {isOpen && children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
