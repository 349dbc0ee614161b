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
    <div>
      <Group justify="space-between" gap="xs">
        <PageTitle>{title}</PageTitle>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
      {sentence !== undefined && (
        <Text size="sm" c="dimmed" mt={4} maw={860}>
          {sentence}
        </Text>
      )}
    </div>
  );
}
