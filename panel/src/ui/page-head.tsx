import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

type Props = { title: string; sentence?: string; children?: ReactNode };

/** The heading of a page, with its actions. */
export function PageHead({ title, sentence, children }: Props) {
  return (
    <Group justify="space-between" align="start">
      <div style={{ flex: "1 1 16rem" }}>
        <Title order={1} size="h3">
          {title}
        </Title>
        {sentence !== undefined && (
          <Text size="sm" c="dimmed">
            {sentence}
          </Text>
        )}
      </div>
      {children}
    </Group>
  );
}
