import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { foldersQuery } from "./token-queries.ts";

export type ChosenFolder = { id: number; label: string };
type Props = {
  value: ChosenFolder | null;
  onChange(folder: ChosenFolder | null): void;
  error: ReactNode;
};

const SEARCH_DELAY_MS = 150;

/** Chooses a folder: of the root, or one that a search finds. */
export function FolderField({ value, onChange, error }: Props) {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text === value?.label ? "" : text.trim(), SEARCH_DELAY_MS);
  const { data: found = [] } = useQuery(foldersQuery(q));
  const folders = value === null || found.some(({ id }) => id === value.id) ? found : [value, ...found];
  return (
    <Select
      label={t`Folder`}
      description={t`Limits access to files to this folder and what is in it`}
      placeholder={t`All files`}
      nothingFoundMessage={t`No folder found`}
      searchable
      clearable
      filter={({ options }) => options}
      data={folders.map(({ id, label }) => ({ value: String(id), label }))}
      value={value === null ? null : String(value.id)}
      onChange={(id) => onChange(folders.find((folder) => String(folder.id) === id) ?? null)}
      searchValue={text}
      onSearchChange={setText}
      error={error}
    />
  );
}
