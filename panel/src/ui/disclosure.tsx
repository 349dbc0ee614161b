import { Button, Collapse, Text } from "@mantine/core";
import { useId, useReducedMotion } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";

type Props = {
  label: ReactNode;
  /** What is in it, in a few words while it is closed. */
  summary?: ReactNode;
  isOpen: boolean;
  onToggle(): void;
  children: ReactNode;
};

const MOTION_MS = 150;

/** Parts of a form that few people need. */
export function Disclosure({ label, summary, isOpen, onToggle, children }: Props) {
  const id = useId();
  // Known from the start: told later, Mantine would make what is in it anew.
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false });
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        fw={500}
        maw="100%"
        // The chevron stands on the edge of the fields.
        ms={-9}
        leftSection={<Chevron size={14} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
      >
        {label}
        {!isOpen && summary && (
          <>
            {" "}
            <Text span size="sm" c="dimmed" fw={400} ml="xs" miw={0} truncate>
              {summary}
            </Text>
          </>
        )}
      </Button>
      <Collapse expanded={isOpen} id={id} transitionDuration={isStill ? 0 : MOTION_MS}>
        {isOpen && children}
      </Collapse>
    </div>
  );
}
