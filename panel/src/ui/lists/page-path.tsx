import { useLingui } from "@lingui/react/macro";
import { Anchor, type AnchorProps, Group, Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type Props = Omit<ComponentProps<"a">, keyof AnchorProps | "name"> & {
  /** The name of the page itself. */
  name: string;
};

function Path({ name, ...parent }: Props) {
  const { t } = useLingui();
  return (
    <Group gap={4} component="nav" aria-label={t`Breadcrumb`} wrap="nowrap" c="dimmed" mb={-8}>
      <Anchor {...parent} size="sm" c="dimmed" />
      <IconChevronRight size={14} aria-hidden style={{ flex: "none" }} />
      <Text span size="sm" truncate dir="auto" aria-current="page">
        {name}
      </Text>
    </Group>
  );
}

/** Where a page is: the link to the one above it, and its own name. It stands above the heading. */
export const PagePath = createLink(Path);
