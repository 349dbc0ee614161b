import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Says something good about a field. Its line, or that of the field's error, has a room before the next field, and moves nothing. */
export const FieldRoom = ({ isTaken, children }: { isTaken: boolean; children?: ReactNode }) => (
  <Text
    fz="calc(var(--mantine-font-size-sm) - 2px)"
    lh={1.2}
    c="dimmed"
    mb="calc(-1.2em + 3px)"
    aria-live="polite"
    {...(!isTaken && { mt: 5, mih: "1.2em" })}
  >
    {!isTaken && children}
  </Text>
);
