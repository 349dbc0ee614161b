import { Popover, Stack } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";

type Props = {
  isOpen: boolean;
  onOpen(isOpen: boolean): void;
  /** The button to which it is attached. */
  opener: ReactElement;
  children: ReactNode;
};

/** A small form beside its subject. Its fields exist while it is open. */
export function PopoverForm({ isOpen, onOpen, opener, children }: Props) {
  return (
    <Popover
      opened={isOpen}
      onChange={onOpen}
      position="bottom-end"
      withArrow
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>{opener}</Popover.Target>
      <Popover.Dropdown w={300}>{children}</Popover.Dropdown>
    </Popover>
  );
}

/** What is pressed here is not for a form below, which React tells of it too. */
export const PopoverFields = ({ onSubmit, children }: { onSubmit(): void; children: ReactNode }) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      event.stopPropagation();
      onSubmit();
    }}
    onKeyDown={(event) => {
      if (event.key === "Enter") event.stopPropagation();
    }}
  >
    <Stack gap="xs">{children}</Stack>
  </form>
);
