import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useSentence } from "../ui/failure.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { settingsQuery, type ShownSetting } from "./setting-queries.ts";
import { SettingRow } from "./setting-row.tsx";

const matches = ({ definition: { key, description } }: ShownSetting, text: string): boolean =>
  `${key} ${description}`.toLowerCase().includes(text.toLowerCase());

export function SettingsPage() {
  const { t } = useLingui();
  const { q = "" } = useSearch({ from: "/inside/settings" });
  const navigate = useNavigate({ from: "/settings" });
  const sentenceOf = useSentence();
  const { data, error, refetch } = useQuery(settingsQuery);
  const shown = data?.filter((setting) => matches(setting, q)) ?? [];
  const groups = [...Map.groupBy(shown, ({ definition }) => definition.category)];
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Settings`} sentence={t`They apply at once, except for those that need a restart.`} />
      <TextInput
        leftSection={<IconSearch size={16} />}
        aria-label={t`Search settings`}
        placeholder={t`Search settings`}
        value={q}
        onChange={(event) => {
          const text = event.currentTarget.value;
          void navigate({ search: text === "" ? {} : { q: text }, replace: true });
        }}
      />
      {error !== null && data === undefined && (
        <Alert color="red" role="alert">
          <Stack align="start" gap="xs">
            {sentenceOf(error)}
            <Button size="xs" variant="default" onClick={() => void refetch()}>
              <Trans>Try again</Trans>
            </Button>
          </Stack>
        </Alert>
      )}
      {data === undefined && error === null && <Skeleton height={320} />}
      {data !== undefined && shown.length === 0 && (
        <Text c="dimmed">
          <Trans>No setting matches.</Trans>
        </Text>
      )}
      {groups.map(([category, settings]) => (
        <section key={category} aria-label={category}>
          <Text component="h2" fw={700} size="sm" tt="capitalize" mb={4}>
            {category}
          </Text>
          {settings.map((setting) => (
            <SettingRow key={setting.definition.key} {...setting} />
          ))}
        </section>
      ))}
    </Stack>
  );
}
