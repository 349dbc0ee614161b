import { Modal } from "@mantine/core";
import type { ReactNode } from "react";

/** Above forms and their menus. */
const ABOVE_ALL = 1000;

/** Shows a question over the page, which only its buttons close. */
export function QuestionModal({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <Modal.Root
      opened
      onClose={() => {}}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={ABOVE_ALL}
      centered
      size="sm"
    >
      <Modal.Overlay />
      <Modal.Content data-mantine-stop-propagation="true">
        <Modal.Header role="presentation">
          <Modal.Title fw={650}>{title}</Modal.Title>
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
