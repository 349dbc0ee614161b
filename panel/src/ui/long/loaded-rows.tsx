import { Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { FailureAlert } from "../failure-alert.tsx";

type Props<Row> = {
  /** Undefined until they are there. */
  rows: readonly Row[] | undefined;
  error: Error | null;
  /** Said where there is none. */
  none: ReactNode;
  children(rows: readonly Row[]): ReactNode;
};

/** Rows of a small list, or why there are none. */
export function LoadedRows<Row>({ rows, error, none, children }: Props<Row>) {
  if (error !== null && rows === undefined) {
    return <FailureAlert error={error} />;
  }
  if (rows === undefined) return <Skeleton height={120} />;
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  }
  return children(rows);
}
