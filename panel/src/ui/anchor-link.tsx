import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

const Styled = (props: AnchorProps & Omit<ComponentProps<"a">, keyof AnchorProps>) => <Anchor {...props} />;

/** A link within the panel. */
export const AnchorLink = createLink(Styled);
