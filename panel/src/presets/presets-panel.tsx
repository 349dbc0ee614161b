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
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accountQuery } from "../auth/account.ts";
import { teamsQuery } from "../auth/teams/team-queries.ts";
import { api, type NewPreset, responseOf } from "../base/api.ts";
import { PopoverFields } from "../ui/dialogs/popover-form.tsx";
import { PopoverOver } from "../ui/dialogs/popover-over.tsx";
import { useSentence } from "../ui/failure.tsx";
import { type PresetContent, type PresetKind, presetsQuery } from "./preset-queries.ts";

export type PresetsProps = {
  kind: PresetKind;
  /** What would be saved; null: nothing yet. */
  content: PresetContent | null;
  /** What one keeps there, and what to do first while there is none. */
  empty: string;
  onChoose(content: PresetContent): void;
};

type Props = PresetsProps & { isOpen: boolean; onClose(): void };

/** Over its button. */
export const PresetsPanel = ({ isOpen, onClose, ...presets }: Props) => (
  <PopoverOver isOpen={isOpen} width={300} onClose={onClose}>
    <Presets {...presets} />
  </PopoverOver>
);

function Presets({ kind, content, empty, onChoose }: PresetsProps) {
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
