import { Popover, type PopoverDropdownProps } from "@mantine/core";
import classes from "../menus/menu-button.module.css";

type Props = PopoverDropdownProps & { isOpen: boolean; width: number; onClose(): void };

/** Over its button, which is there before the script of this. A click on the button closes it. */
export const PopoverOver = ({ isOpen, width, onClose, ...dropdown }: Props) => (
  <Popover
    opened={isOpen}
    onChange={(opened) => !opened && onClose()}
    position="bottom-end"
    withArrow
    shadow="md"
    trapFocus
    width={width}
  >
    <Popover.Target>
      <span className={classes["over"]} hidden={!isOpen} onClick={onClose} aria-hidden />
    </Popover.Target>
    <Popover.Dropdown {...dropdown} />
  </Popover>
);
