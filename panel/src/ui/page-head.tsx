import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Heading } from "./heading.tsx";

type Props = { title: string; sentence?: ReactNode; children?: ReactNode };

/** A heading that is as high as a button, so that it is in the same position with and without buttons. */
export const PageTitle = ({ children }: { children: ReactNode }) => (
  <Group mih={36}>
    <Heading>{children}</Heading>
  </Group>
);

/** The heading of a page beside its actions. It is in the same position on every page. */
export function PageHead({ title, sentence, children }: Props) {
  return (
    <Group justify="space-between" align="start" gap="xs" style={{ containerType: "inline-size" }}>
      <div>
        <PageTitle>{title}</PageTitle>
        {sentence !== undefined && (
          // As wide as the page, below actions that stand beside the title; without a width that moves them there.
          <div style={{ contain: "inline-size" }}>
            <Text size="sm" c="dimmed" mt={4} w="min(100cqi, 860px)">
              {sentence}
            </Text>
          </div>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
