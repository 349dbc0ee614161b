import { Badge } from "@mantine/core";
import type { ReactNode } from "react";

const COLORS = { good: "teal", warning: "orange", bad: "red", quiet: "gray" } as const;

type Props = { tone: keyof typeof COLORS; children: ReactNode };

/** A state as a word. The colour only repeats it. */
export const StateBadge = ({ tone, children }: Props) => (
  <Badge
    size="sm"
    variant="dot"
    color={COLORS[tone]}
    flex="none"
    miw="max-content"
    // Whole pixels make it round.
    style={{ "--badge-dot-size": "6px" }}
  >
    {children}
  </Badge>
);
