import { Trans } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import type { FindingChange, LinkFinding, Order, Sort } from "../link-search.ts";
import type { useColumns } from "./columns.ts";
import { orderOf } from "./head-row.tsx";

type Columns = { columns: ReturnType<typeof useColumns> };
type SortProps = Columns & { finding: LinkFinding; onChange(change: FindingChange): void };

export const ColumnItems = ({ columns }: Columns) =>
  columns.all
    .filter(({ isFixed }) => !isFixed)
    .map(({ name, label }) => (
      <Menu.CheckboxItem
        key={name}
        checked={columns.shown.some((column) => column.name === name)}
        closeMenuOnClick={false}
        onChange={() => columns.toggle(name)}
      >
        {label}
      </Menu.CheckboxItem>
    ));

export function SortItems({ finding, columns, onChange }: SortProps) {
  const now = orderOf(finding);
  return (
    <Menu.RadioGroup
      value={`${now.sort} ${now.order}`}
      onChange={(chosen) => {
        const [sort, order] = chosen.split(" ") as [Sort, Order];
        onChange({ sort, order });
      }}
    >
      {columns.all.flatMap(({ sort, label }) =>
        sort === undefined
          ? []
          : (["asc", "desc"] as const).map((order) => (
              <Menu.RadioItem key={order + sort} value={`${sort} ${order}`} closeMenuOnClick>
                {order === "asc" ? <Trans>{label}, ascending</Trans> : <Trans>{label}, descending</Trans>}
              </Menu.RadioItem>
            )),
      )}
    </Menu.RadioGroup>
  );
}
