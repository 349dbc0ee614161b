import { Button, Collapse } from "@mantine/core";
import { useId } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";

type Props = { label: ReactNode; isOpen: boolean; onToggle(): void; children: ReactNode };

/** Parts of a form that few people need. */
export function Disclosure({ label, isOpen, onToggle, children }: Props) {
  const id = useId();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        fw={500}
        leftSection={<Chevron size={14} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
      >
        {label}
      </Button>
      <Collapse expanded={isOpen} id={id}>
        {isOpen && children}
      </Collapse>
    </div>
  );
}
