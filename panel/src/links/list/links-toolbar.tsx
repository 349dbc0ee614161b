import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group } from "@mantine/core";
import { IconArrowsSort, IconColumns3, IconKeyboard } from "@tabler/icons-react";
import { runShortcut } from "../../ui/keys/page-keys.ts";
import { soonPart } from "../../base/lazy.ts";
import { hinted } from "../../ui/keys/shortcuts.ts";
import { MenuButton } from "../../ui/menus/menu-button.tsx";
import { SearchField } from "../../ui/lists/search-field.tsx";
import type { FindingChange, LinkFinding } from "../link-search.ts";
import type { useColumns } from "./columns.ts";
import { FilterButton } from "./filter-button.tsx";
import { LinkViews } from "./link-views.tsx";
import classes from "./list.module.css";

const load = () => import("./toolbar-items.tsx");
const ColumnItems = soonPart(async () => (await load()).ColumnItems);
const SortItems = soonPart(async () => (await load()).SortItems);

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
    <Group px="md" py="sm" gap="xs">
      <div role="search" aria-label={t`Find links`} className={classes["finding"]}>
        <SearchField
          label={t`Search links`}
          placeholder={t`Search code, target, title and note`}
          className={classes["search"]!}
          q={finding.q}
          delayMs={SEARCH_DELAY_MS}
          onSearch={(q) => onChange({ q })}
        />
        <FilterButton finding={finding} onChange={onChange} />
        <LinkViews finding={finding} onChange={onChange} />
      </div>
      {/* For layouts without column heads. */}
      <MenuButton
        label={t`Sort`}
        hiddenFrom="sm"
        button={
          <Button variant="default" px="xs" aria-label={t`Sort`}>
            <IconArrowsSort size={16} aria-hidden />
          </Button>
        }
      >
        <SortItems finding={finding} columns={columns} onChange={onChange} />
      </MenuButton>
      <MenuButton
        label={t`Columns`}
        visibleFrom="sm"
        button={
          <Button variant="default" px="xs" aria-label={t`Columns`}>
            <IconColumns3 size={16} aria-hidden />
          </Button>
        }
      >
        <ColumnItems columns={columns} />
      </MenuButton>
      <ActionIcon
        variant="default"
        size={36}
        className={classes["keys"]!}
        aria-label={t`Keyboard shortcuts`}
        {...hinted(t`Keyboard shortcuts`, "help")}
        onClick={() => runShortcut("help")}
        visibleFrom="sm"
      >
        <IconKeyboard size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
