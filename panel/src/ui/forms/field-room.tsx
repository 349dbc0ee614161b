import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/**
 * Below a field: a line stays free for its error, which moves nothing then, or for something good. It reaches into the gap
 * before the next field.
 */
export const FieldRoom = ({ isTaken, children }: { isTaken: boolean; children?: ReactNode }) => (
  <Text
    fz="calc(var(--mantine-font-size-sm) - 2px)"
    lh={1.2}
    c="dimmed"
    mb={-8}
    aria-live="polite"
    {...(!isTaken && { mt: 5, mih: "1.2em" })}
  >
    {!isTaken && children}
  </Text>
);
