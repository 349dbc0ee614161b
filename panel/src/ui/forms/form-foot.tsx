import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./form-foot.module.css";

/** The buttons of a form. They stay in sight, above fields that scroll below them, unless the window is low. */
export const FormFoot = ({ children }: { children: ReactNode }) => (
  <Group justify="end" py="sm" className={classes["foot"]!}>
    {children}
  </Group>
);
