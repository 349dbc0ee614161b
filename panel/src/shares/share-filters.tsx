import { useLingui } from "@lingui/react/macro";
import { CloseButton, Group, Select, Switch, TextInput } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { SHARE_STATES, type ShareSearch } from "./share-search.ts";
import classes from "./shares.module.css";

const DELAY_MS = 150;

type Props = {
  search: ShareSearch;
  /** Those of other accounts too. */
  maySeeAll: boolean;
  onChange(next: Record<keyof ShareSearch, unknown> | Partial<Record<keyof ShareSearch, unknown>>): void;
};

export function ShareFilters({ search, maySeeAll, onChange }: Props) {
  const { t } = useLingui();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search.q ?? "");
  const find = useDebouncedCallback((q: string) => onChange({ q: q || undefined }), DELAY_MS);
  useHotkeys([["/", () => field.current?.focus()]]);
  const kinds = { file: t`Files`, folder: t`Folders`, drop: t`Drop boxes` };
  const states = { active: t`Active`, expired: t`Expired`, used_up: t`Used up`, damaged: t`Damaged` };
  return (
    <Group gap="xs">
      <TextInput
        ref={field}
        className={classes["search"]}
        leftSection={<IconSearch size={16} />}
        placeholder={t`Search name, code and title`}
        aria-label={t`Search shares`}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          find(event.currentTarget.value);
        }}
        rightSection={
          text !== "" && (
            <CloseButton
              size="sm"
              aria-label={t`Clear the search`}
              onClick={() => {
                setText("");
                onChange({ q: undefined });
                field.current?.focus();
              }}
            />
          )
        }
      />
      <Select
        w={150}
        clearable
        placeholder={t`Every kind`}
        aria-label={t`Kind`}
        value={search.kind ?? null}
        onChange={(kind) => onChange({ kind: kind ?? undefined })}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
      />
      <Select
        w={150}
        clearable
        placeholder={t`Every state`}
        aria-label={t`State`}
        value={search.state ?? null}
        onChange={(state) => onChange({ state: state ?? undefined })}
        data={SHARE_STATES.map((value) => ({ value, label: states[value] }))}
      />
      {maySeeAll && (
        <Switch
          label={t`All accounts`}
          checked={search.all === true}
          onChange={(event) => onChange({ all: event.currentTarget.checked || undefined })}
        />
      )}
    </Group>
  );
}
