import { Table } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import { SpacedRows, useRowsInSight } from "./rows-in-sight.tsx";

/** Pixels, about. */
const ROW = 56;

export type LongRowsProps<T> = {
  items: readonly T[];
  keyOf(item: T): string | number;
  cells(item: T): ReactNode;
  rowProps(item: T): ComponentProps<"tr">;
};

/** For a list that grows while one scrolls: only visible rows exist. */
export function LongRows<T>({ items, keyOf, cells, rowProps }: LongRowsProps<T>) {
  const rows = useRowsInSight({ count: items.length, rowHeight: ROW, keyOf: (at) => keyOf(items[at]!) });
  return (
    <Table.Tbody {...rows.bodyProps}>
      <SpacedRows
        rows={rows}
        row={(at, place) => (
          <Table.Tr {...place} {...rowProps(items[at]!)}>
            {cells(items[at]!)}
          </Table.Tr>
        )}
      />
    </Table.Tbody>
  );
}
