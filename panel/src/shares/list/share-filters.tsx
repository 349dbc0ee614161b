import { useLingui } from "@lingui/react/macro";
import { Group, Select, Switch } from "@mantine/core";
import { useRef } from "react";
import { useShortcuts } from "../../ui/keys/page-keys.ts";
import { ariaKeysOf } from "../../ui/keys/shortcuts.ts";
import { TreeSelect } from "../../auth/teams/tree-select.tsx";
import { SearchField } from "../../ui/lists/search-field.tsx";
import { SHARE_STATES, type ShareSearch } from "../share-search.ts";
import classes from "../shares.module.css";
import { FilterSheet } from "../../ui/dialogs/filter-sheet.tsx";

const DELAY_MS = 150;

type Props = {
  search: ShareSearch;
  /** Those of other accounts too. */
  maySeeAll: boolean;
  onChange(next: Record<keyof ShareSearch, unknown> | Partial<Record<keyof ShareSearch, unknown>>): void;
};

export function ShareFilters({ search, maySeeAll, onChange }: Props) {
  const { t } = useLingui();
  const kindField = useRef<HTMLInputElement>(null);
  useShortcuts({ filter: () => kindField.current?.click() });
  const kinds = { file: t`Files`, folder: t`Folders`, drop: t`Drop boxes`, items: t`Several items` };
  const states = { active: t`Active`, expired: t`Expired`, used_up: t`Used up`, damaged: t`Damaged` };
  return (
    <Group gap="xs">
      <SearchField
        label={t`Search shares`}
        className={classes["search"]!}
        q={search.q}
        delayMs={DELAY_MS}
        onSearch={(q) => onChange({ q })}
      />
      <TreeSelect
        team={search.team}
        own={search.all ? t`Shares of all accounts` : t`My shares`}
        onChange={(team) => onChange({ team, all: undefined })}
      />
      <FilterSheet count={[search.kind, search.state, search.all].filter(Boolean).length}>
        <Select
          ref={kindField}
          aria-keyshortcuts={ariaKeysOf("filter")}
          className={classes["filter"] ?? ""}
          clearable
          placeholder={t`All types`}
          aria-label={t`Kind`}
          value={search.kind ?? null}
          onChange={(kind) => onChange({ kind: kind ?? undefined })}
          data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        />
        <Select
          className={classes["filter"] ?? ""}
          clearable
          placeholder={t`Any state`}
          aria-label={t`State`}
          value={search.state ?? null}
          onChange={(state) => onChange({ state: state ?? undefined })}
          data={SHARE_STATES.map((value) => ({ value, label: states[value] }))}
        />
        {maySeeAll && (
          <Switch
            label={t`All accounts`}
            checked={search.all === true}
            onChange={(event) => onChange({ all: event.currentTarget.checked || undefined, team: undefined })}
          />
        )}
      </FilterSheet>
    </Group>
  );
}
