import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./menu-button.module.css";

export type PlacedMenuProps = { label: string; width?: number; onClose(): void; children: ReactNode };

/** A menu at the button over which it lies. A press there closes it. */
export const PlacedMenu = ({ label, width, onClose, children }: PlacedMenuProps) => (
  <Menu
    opened
    onClose={onClose}
    position="bottom-end"
    returnFocus={false}
    {...(width !== undefined && { width })}
  >
    <Menu.Target>
      <span className={classes["over"]} aria-hidden />
    </Menu.Target>
    <Menu.Dropdown
      aria-label={label}
      aria-labelledby={undefined}
      mah="calc(100dvh - 5rem)"
      style={{ overflowY: "auto" }}
    >
      {children}
    </Menu.Dropdown>
  </Menu>
);
