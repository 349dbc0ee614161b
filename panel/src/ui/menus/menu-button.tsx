import { Box, type BoxProps } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode, type Ref, Suspense, useRef, useState } from "react";
import { soonPart } from "../../base/lazy.ts";
import classes from "./menu-button.module.css";

const PlacedMenu = soonPart(async () => (await import("./placed-menu.tsx")).PlacedMenu);

type ButtonProps = {
  ref?: Ref<HTMLButtonElement>;
  onClick?: () => void;
  "aria-haspopup"?: "menu";
  "aria-expanded"?: boolean;
};

type Props = {
  label: string;
  button: ReactElement<ButtonProps>;
  width?: number;
  /** The items, which may load with the first press. */
  children: ReactNode;
} & Pick<BoxProps, "visibleFrom" | "hiddenFrom">;

/** A button that is there before the script of its menu. */
export function MenuButton({ label, button, width, children, ...place }: Props) {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  function close(): void {
    setOpen(false);
    opener.current?.focus({ preventScroll: true });
  }
  return (
    <Box {...place} component="span" className={classes["place"]!}>
      {cloneElement(button, {
        ref: opener,
        onClick: () => setOpen(true),
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
      })}
      {isOpen && (
        <Suspense fallback={null}>
          <PlacedMenu label={label} onClose={close} {...(width !== undefined && { width })}>
            {children}
          </PlacedMenu>
        </Suspense>
      )}
    </Box>
  );
}
