import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

type Props = { title: string; sentence?: ReactNode; children?: ReactNode };

/** The heading of a page beside its actions. It is in the same position on every page. */
export function PageHead({ title, sentence, children }: Props) {
  return (
    <div>
      <Group justify="space-between" gap="xs" mih={36}>
        <Title order={1} size="h3">
          {title}
        </Title>
        {children}
      </Group>
      {sentence !== undefined && (
        <Text size="sm" c="dimmed" mt={4}>
          {sentence}
        </Text>
      )}
    </div>
  );
}
