import { Trans, useLingui } from "@lingui/react/macro";
import {
  ActionIcon,
  Button,
  Divider,
  Group,
  ScrollArea,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { accountQuery } from "../auth/account.ts";
import { teamsQuery } from "../auth/teams/team-queries.ts";
import { api, type NewPreset, responseOf } from "../base/api.ts";
import { PopoverFields, PopoverForm } from "../ui/dialogs/popover-form.tsx";
import { useSentence } from "../ui/failure.tsx";

type Kind = NewPreset["kind"];
export type PresetContent = NewPreset["content"];

/** Addresses of pages have numbers where presets have texts. */
export const presetContentOf = (search: object): PresetContent =>
  Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );

export const presetsQuery = (kind: Kind) =>
  queryOptions({
    queryKey: ["presets", kind],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/presets", { params: { query: { kind } }, signal }))).data,
  });

type Props = {
  kind: Kind;
  opener: (props: { onClick(): void; "aria-expanded": boolean }) => ReactElement;
  /** What would be saved; null: nothing yet. */
  content: PresetContent | null;
  /** What one keeps there, and what to do first while there is none. */
  empty: string;
  onChoose(content: PresetContent): void;
};

/** What the account and its teams keep under names: to use, save and delete it. */
export function PresetsButton({ kind, opener, content, empty, onChoose }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <PopoverForm
      isOpen={isOpen}
      onOpen={setIsOpen}
      opener={opener({ onClick: () => setIsOpen(!isOpen), "aria-expanded": isOpen })}
    >
      <Presets
        kind={kind}
        content={content}
        empty={empty}
        onChoose={(chosen) => {
          setIsOpen(false);
          onChoose(chosen);
        }}
      />
    </PopoverForm>
  );
}

function Presets({ kind, content, empty, onChoose }: Omit<Props, "opener">) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const queries = useQueryClient();
  const { data: presets, error } = useQuery(presetsQuery(kind));
  const { data: account } = useQuery(accountQuery);
  const { data: teams = [] } = useQuery({ ...teamsQuery, staleTime: 60_000 });
  const own = teams.filter(({ members }) =>
    members.some(({ account: member, role }) => member === account?.username && role !== "viewer"),
  );
  const [name, setName] = useState("");
  const [owner, setOwner] = useState<string | null>(null);
  const onSuccess = () => queries.invalidateQueries({ queryKey: ["presets", kind] });
  const saving = useMutation({
    mutationFn: (body: NewPreset) => responseOf(api.POST("/admin/v1/presets", { body })),
    async onSuccess() {
      setName("");
      await onSuccess();
    },
  });
  const removing = useMutation({
    mutationFn: (id: number) =>
      responseOf(api.DELETE("/admin/v1/presets/{id}", { params: { path: { id } } })),
    onSuccess,
  });
  const failure = error ?? saving.error ?? removing.error;
  return (
    <Stack gap="xs">
      {presets?.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      <ScrollArea.Autosize mah={260}>
        {presets?.map((preset) => (
          <Group key={preset.id} gap={4} wrap="nowrap" justify="space-between">
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              fw={500}
              miw={0}
              justify="start"
              onClick={() => onChoose(preset.content)}
            >
              <bdi>{preset.name}</bdi>
              {preset.owner !== account?.username && (
                <Text span size="xs" c="dimmed" ml="xs">
                  {preset.owner?.replace("team:", "")}
                </Text>
              )}
            </Button>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={28}
              aria-label={t`Delete ${preset.name}`}
              onClick={() => removing.mutate(preset.id)}
            >
              <IconX size={14} />
            </ActionIcon>
          </Group>
        ))}
      </ScrollArea.Autosize>
      {content !== null && (
        <>
          {presets?.length !== 0 && <Divider />}
          <PopoverFields
            onSubmit={() =>
              saving.mutate({ kind, name: name.trim(), content, ...(owner !== null && { owner }) })
            }
          >
            <TextInput
              label={t`Name`}
              value={name}
              maxLength={64}
              error={failure && sentenceOf(failure)}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {own.length > 0 && (
              <Select
                label={t`For`}
                clearable
                placeholder={t`Only me`}
                comboboxProps={{ withinPortal: false }}
                value={owner}
                onChange={setOwner}
                data={own.map((team) => ({ value: `team:${team.name}`, label: team.name }))}
              />
            )}
            <Button type="submit" size="xs" loading={saving.isPending} disabled={name.trim() === ""}>
              <Trans>Save</Trans>
            </Button>
          </PopoverFields>
        </>
      )}
    </Stack>
  );
}
