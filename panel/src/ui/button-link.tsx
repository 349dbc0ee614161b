import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

const Styled = (props: ButtonProps & Omit<ComponentProps<"a">, keyof ButtonProps>) => (
  <Button component="a" {...props} />
);

/** A link within the panel that looks like a button. */
export const ButtonLink = createLink(Styled);
