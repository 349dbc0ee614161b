import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  title: ReactNode;
  /** What would be here, or how to find more. */
  sentence?: ReactNode;
  /** The first action. */
  children?: ReactNode;
};

const BALANCED = { textWrap: "balance" } as const;

/** In the place of a list without entries. */
export const Empty = ({ title, sentence, children }: Props) => (
  <Stack gap="xs" align="center" ta="center" maw={420} mx="auto" py="xl">
    <Text fw={600} style={BALANCED}>
      {title}
    </Text>
    {sentence !== undefined && (
      <Text size="sm" c="dimmed" style={BALANCED}>
        {sentence}
      </Text>
    )}
    {children}
  </Stack>
);
