import { Skeleton, Stack, Table, VisuallyHidden } from "@mantine/core";
import { type ComponentProps, type ReactNode, useState } from "react";
import classes from "./data-list.module.css";
import { LoadFailure } from "../load-failure.tsx";
import type { LongRowsProps } from "../long/long-rows.tsx";
import { isPlainClick, openRowMenu } from "./row-clicks.ts";
import { partsOf, type RowParts, RowPartsMenu } from "../menus/row-parts-menu.tsx";

export type Column<T> = {
  title: string;
  cell(item: T): ReactNode;
  /** `narrow`: on phones. `medium`: on tablets too. */
  isHidden?: "narrow" | "medium";
  /** As wide as its longest value, which does not wrap. `actions` are at the end, without a visible title. */
  fit?: "value" | "number" | "actions";
  /** The preferred width, so that it does not change with the visible rows. */
  width?: string;
};
type Props<T> = {
  label: string;
  items: readonly T[] | undefined;
  error: Error | null;
  onRetry(): void;
  columns: readonly Column<T>[];
  keyOf(item: T): string | number;
  empty: ReactNode;
  /** The whole row opens. */
  onOpen?(item: T): void;
  /** For a list that grows while one scrolls: its rows, and whether there are more. */
  long?: { Rows(props: LongRowsProps<T>): ReactNode; isMore: boolean };
};

const BONES = 4;

/** A list as a table, with its states of loading, failure and emptiness. The context menu of a row is its own, or has its buttons. */
export function DataList<T>({ label, items, error, onRetry, columns, keyOf, empty, onOpen, long }: Props<T>) {
  const [menu, setMenu] = useState<RowParts | null>(null);
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
  const titled = columns.filter(({ isHidden, fit }) => isHidden === undefined && fit !== "actions");
  const cells = (item: T): ReactNode =>
    columns.map((column, at) => {
      const Cell = at === 0 ? Table.Th : Table.Td;
      return (
        <Cell key={column.title} {...(at === 0 && { scope: "row" })} {...looksOf(column)}>
          {column.cell(item)}
        </Cell>
      );
    });
  const rowProps = (item: T): ComponentProps<"tr"> & { "data-opens"?: true } => ({
    ...(onOpen && { "data-opens": true, onClick: (event) => isPlainClick(event) && onOpen(item) }),
    onContextMenu(event) {
      if ((event.target as HTMLElement).closest("a, input") !== null) return;
      if (openRowMenu(event.currentTarget, event)) return event.preventDefault();
      const parts = partsOf(event.currentTarget, event.nativeEvent);
      if (parts === null) return;
      event.preventDefault();
      setMenu(parts);
    },
  });
  return (
    <Table.ScrollContainer
      minWidth={320}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
      data-holds-rows
    >
      {menu !== null && <RowPartsMenu label={label} opened={menu} onClose={() => setMenu(null)} />}
      <Table
        aria-label={label}
        verticalSpacing="xs"
        className={classes["table"]}
        data-alone={titled.length === 1 || undefined}
        {...(long && { "aria-rowcount": long.isMore ? -1 : items.length + 1 })}
      >
        <Table.Thead>
          <Table.Tr {...(long && { "aria-rowindex": 1 })}>
            {columns.map((column) => (
              <Table.Th key={column.title} {...looksOf(column)} {...(column.width && { w: column.width })}>
                {column.fit === "actions" ? <VisuallyHidden>{column.title}</VisuallyHidden> : column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {long ? (
          <long.Rows items={items} keyOf={keyOf} cells={cells} rowProps={rowProps} />
        ) : (
          <Table.Tbody>
            {items.map((item) => (
              <Table.Tr key={keyOf(item)} {...rowProps(item)}>
                {cells(item)}
              </Table.Tr>
            ))}
          </Table.Tbody>
        )}
      </Table>
    </Table.ScrollContainer>
  );
}

const looksOf = <T,>({ isHidden, fit }: Column<T>) => ({
  ...(isHidden && { visibleFrom: isHidden === "narrow" ? "sm" : "lg" }),
  ...(fit !== undefined && { "data-fit": fit }),
});
