import { Skeleton, Stack, Table, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./data-list.module.css";
import { LoadFailure } from "./load-failure.tsx";

export type Column<T> = {
  title: string;
  cell(item: T): ReactNode;
  isHidden?: "narrow";
  /** As wide as its longest value, which does not wrap. `actions` stand at the end, below no visible title. */
  fit?: "value" | "actions";
};
type Props<T> = {
  label: string;
  items: readonly T[] | undefined;
  error: Error | null;
  onRetry(): void;
  columns: readonly Column<T>[];
  keyOf(item: T): string | number;
  empty: ReactNode;
};

const BONES = 4;

/** A short list as a table, with its states of loading, failure and emptiness. */
export function DataList<T>({ label, items, error, onRetry, columns, keyOf, empty }: Props<T>) {
  if (error !== null && items === undefined) {
    return <LoadFailure error={error} onRetry={onRetry} />;
  }
  if (items === undefined) {
    return (
      <Stack gap="xs" aria-busy>
        {Array.from({ length: BONES }, (_, at) => (
          <Skeleton key={at} height={36} />
        ))}
      </Stack>
    );
  }
  if (items.length === 0) return empty;
  const from = ({ isHidden, fit }: Column<T>) => ({
    ...(isHidden === "narrow" && { visibleFrom: "sm" }),
    ...(fit !== undefined && { "data-fit": fit }),
  });
  return (
    <Table.ScrollContainer minWidth={320} type="native" tabIndex={0}>
      <Table aria-label={label} verticalSpacing="xs" className={classes["table"]}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.title} {...from(column)}>
                {column.fit === "actions" ? <VisuallyHidden>{column.title}</VisuallyHidden> : column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={keyOf(item)}>
              {columns.map((column) => (
                <Table.Td key={column.title} {...from(column)}>
                  {column.cell(item)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
