import { Skeleton, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { LoadFailure } from "./load-failure.tsx";

export type Column<T> = { title: string; cell(item: T): ReactNode; isHidden?: "narrow" };
type Props<T> = {
  label: string;
  items: readonly T[] | undefined;
  error: Error | null;
  onRetry(): void;
  columns: readonly Column<T>[];
  keyOf(item: T): string | number;
  empty: ReactNode;
};

/** A short list as a table, with its states of loading, failure and emptiness. */
export function DataList<T>({ label, items, error, onRetry, columns, keyOf, empty }: Props<T>) {
  if (error !== null && items === undefined) {
    return <LoadFailure error={error} onRetry={onRetry} />;
  }
  if (items === undefined) return <Skeleton height={160} />;
  if (items.length === 0) return <Text c="dimmed">{empty}</Text>;
  const from = ({ isHidden }: Column<T>) => (isHidden === "narrow" ? { visibleFrom: "sm" } : {});
  return (
    <Table.ScrollContainer minWidth={320} type="native" tabIndex={0}>
      <Table aria-label={label} verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.title} {...from(column)}>
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={keyOf(item)}>
              {columns.map((column) => (
                <Table.Td key={column.title} {...from(column)} style={{ overflowWrap: "anywhere" }}>
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
