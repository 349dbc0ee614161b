import { useLingui } from "@lingui/react/macro";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { LoadFailure } from "../ui/load-failure.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SearchField } from "../ui/lists/search-field.tsx";
import { settingsQuery, type ShownSetting } from "./setting-queries.ts";
import { useCategoryNames } from "./words/setting-texts.ts";
import { isSettingFound } from "./words/setting-words.ts";
import { SettingsForm } from "./settings-form.tsx";

export function SettingsPage() {
  const { t } = useLingui();
  const nameOf = useCategoryNames();
  const { q = "" } = useSearch({ from: "/inside/settings" });
  const navigate = useNavigate({ from: "/settings" });
  const { data, error, refetch } = useQuery(settingsQuery);
  const matches = ({ definition }: ShownSetting): boolean =>
    isSettingFound(q, definition, nameOf(definition.category));
  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Settings`}
        sentence={t`Changes apply immediately, except for those that need a restart.`}
      />
      <SearchField
        label={t`Search settings`}
        placeholder={t`Search settings by name or description`}
        type="search"
        maw={720}
        delayMs={50}
        q={q}
        onSearch={(text) =>
          void navigate({ search: text === undefined ? {} : { q: text }, replace: true, resetScroll: false })
        }
      />
      {error !== null && data === undefined && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={600} maw={960} />}
      {data !== undefined && <SettingsForm all={data} shown={data.filter(matches)} />}
    </Stack>
  );
}
