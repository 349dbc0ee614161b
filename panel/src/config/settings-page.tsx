import { useLingui } from "@lingui/react/macro";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { LoadFailure } from "../ui/load-failure.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SearchField } from "../ui/lists/search-field.tsx";
import { readSettingSearch, type SettingGroup } from "./setting-search.ts";
import { settingsQuery, type ShownSetting } from "./setting-queries.ts";
import { settingGroupOf, placeInGroup, useGroupNames } from "./words/groups.ts";
import { useCategoryNames } from "./words/setting-texts.ts";
import { isSettingFound } from "./words/setting-words.ts";
import { SettingsContents } from "./settings-contents.tsx";
import { SettingsForm } from "./settings-form.tsx";
import classes from "./settings.module.css";

const keyOf = ({ definition }: ShownSetting): string => definition.key;

export function SettingsPage() {
  const { t } = useLingui();
  const { q = "", group = "general" } = useSearch({ from: "/inside/settings" });
  const navigate = useNavigate({ from: "/settings" });
  const { data, error, refetch } = useQuery(settingsQuery);
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Settings`} />
      <SearchField
        label={t`Search settings`}
        placeholder={t`Search settings by name or description`}
        type="search"
        maw={720}
        delayMs={50}
        q={q}
        onSearch={(text) =>
          void navigate({
            search: (now) => readSettingSearch({ ...now, q: text }),
            replace: true,
            resetScroll: false,
          })
        }
      />
      {error !== null && data === undefined && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={600} maw={960} />}
      {data !== undefined && <Shown all={data} q={q} group={group} />}
    </Stack>
  );
}

type Props = { all: readonly ShownSetting[]; q: string; group: SettingGroup };

/** The settings of the group, Advanced by category; or what a search finds in all of them. */
function Shown({ all, q, group }: Props) {
  const [groupNames, categoryOf] = [useGroupNames(), useCategoryNames()];
  const groupNameOf = (setting: ShownSetting) => groupNames[settingGroupOf(keyOf(setting))];
  const isListed = (setting: ShownSetting): boolean =>
    q === ""
      ? settingGroupOf(keyOf(setting)) === group
      : isSettingFound(q, setting.definition, groupNameOf(setting));
  const byCategory = q === "" && group === "advanced";
  const sections = Map.groupBy(all.filter(isListed), (setting) =>
    byCategory ? categoryOf(setting.definition.category) : groupNameOf(setting),
  );
  const sorted = [...sections].map(([title, settings]) => ({
    title,
    settings: settings.toSorted((a, b) => placeInGroup(keyOf(a)) - placeInGroup(keyOf(b))),
  }));
  const shown = q === "" ? group : null;
  return (
    <div className={classes["page"]}>
      <SettingsContents group={shown} />
      <SettingsForm all={all} sections={sorted} group={shown} />
    </div>
  );
}
