import { Group } from "@mantine/core";
import type { ReactNode } from "react";

/** The buttons of a form. They stay in sight, above fields that scroll below them. */
export const FormFoot = ({ children }: { children: ReactNode }) => (
  <Group
    justify="end"
    py="sm"
    pos="sticky"
    bottom="var(--shell-foot, 0px)"
    bg="var(--mantine-color-body)"
    style={{ zIndex: 3 }}
  >
    {children}
  </Group>
);
