import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Heading } from "./heading.tsx";

type Props = { title: string; sentence?: ReactNode; children?: ReactNode };

/** The heading of a page beside its actions. It is in the same position on every page. */
export function PageHead({ title, sentence, children }: Props) {
  return (
    <div>
      <Group justify="space-between" gap="xs" mih={36}>
        <Heading>{title}</Heading>
        {children}
      </Group>
      {sentence !== undefined && (
        <Text size="sm" c="dimmed" mt={4} maw={860}>
          {sentence}
        </Text>
      )}
    </div>
  );
}
