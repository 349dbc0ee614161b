import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Menu, Tooltip } from "@mantine/core";
import { IconArrowsSort, IconColumns3, IconKeyboard } from "@tabler/icons-react";
import { runShortcut } from "../../ui/keys/page-keys.ts";
import { ariaKeysOf, withKeys } from "../../ui/keys/shortcuts.ts";
import { SearchField } from "../../ui/search-field.tsx";
import type { FindingChange, LinkFinding, Order, Sort } from "../link-search.ts";
import type { useColumns } from "./columns.ts";
import { FilterButton } from "./filter-button.tsx";
import { orderOf } from "./head-row.tsx";
import classes from "./list.module.css";

/** Between the last key and the request. */
const SEARCH_DELAY_MS = 60;

type Props = {
  finding: LinkFinding;
  columns: ReturnType<typeof useColumns>;
  onChange(change: FindingChange): void;
};

export function LinksToolbar({ finding, columns, onChange }: Props) {
  const { t } = useLingui();
  return (
    <Group px="md" py="sm" gap="xs" role="search">
      <SearchField
        label={t`Search links`}
        placeholder={t`Search code, target, title and note`}
        className={classes["search"]!}
        q={finding.q}
        delayMs={SEARCH_DELAY_MS}
        onSearch={(q) => onChange({ q })}
      />
      <FilterButton finding={finding} onChange={onChange} />
      <SortMenu finding={finding} columns={columns} onChange={onChange} />
      <Menu
        position="bottom-end"
        closeOnItemClick={false}
        withinPortal={false}
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>
          <Button variant="default" px="xs" aria-label={t`Columns`} visibleFrom="sm">
            <IconColumns3 size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label={t`Columns`}>
          {columns.all
            .filter(({ isFixed }) => !isFixed)
            .map(({ name, label }) => {
              const isShown = columns.shown.some((column) => column.name === name);
              return (
                <Menu.CheckboxItem
                  key={name}
                  checked={isShown}
                  closeMenuOnClick={false}
                  onChange={() => columns.toggle(name)}
                >
                  {label}
                </Menu.CheckboxItem>
              );
            })}
        </Menu.Dropdown>
      </Menu>
      <Tooltip label={withKeys(t`Keyboard shortcuts`, "help")}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t`Keyboard shortcuts`}
          aria-keyshortcuts={ariaKeysOf("help")}
          onClick={() => runShortcut("help")}
          visibleFrom="sm"
        >
          <IconKeyboard size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** For layouts without column heads. */
function SortMenu({ finding, columns, onChange }: Pick<Props, "finding" | "columns" | "onChange">) {
  const { t } = useLingui();
  const now = orderOf(finding);
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" px="xs" aria-label={t`Sort`} hiddenFrom="sm">
          <IconArrowsSort size={16} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={t`Sort`}>
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
      </Menu.Dropdown>
    </Menu>
  );
}
