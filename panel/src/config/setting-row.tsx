import { Trans, useLingui } from "@lingui/react/macro";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useSentence } from "../ui/failure.tsx";
import { SettingField } from "./setting-field.tsx";
import { saveSetting, type ShownSetting } from "./setting-queries.ts";
import classes from "./settings.module.css";

export function SettingRow({ definition, setting }: ShownSetting) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const stored = setting.is_sensitive ? "" : (setting.pending_value ?? setting.value);
  const [typed, setTyped] = useState<string | null>(null);
  const value = typed ?? stored;
  const isChanged = typed !== null && typed !== stored;
  const isDefault = setting.is_sensitive || stored === definition.default_value;
  const save = useMutation({
    mutationFn: (text: string) => saveSetting(queries, definition.key, text),
    onSuccess(message) {
      setTyped(null);
      notifications.show({ message: message ?? t`${definition.key} is saved.` });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate(value);
  }

  return (
    <form className={classes["row"]} onSubmit={submit}>
      <div>
        <Group gap={6}>
          <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
            {definition.key}
          </Text>
          {definition.requires_restart && (
            <Badge size="xs" variant="light" color="gray" tt="none">
              <Trans>needs a restart</Trans>
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {definition.description}
        </Text>
        {setting.pending_value !== undefined && (
          <Text size="sm">
            <Trans>Until the restart it is {setting.value}.</Trans>
          </Text>
        )}
      </div>
      <Stack gap={6}>
        {definition.editable ? (
          <SettingField
            definition={definition}
            value={value}
            isSecret={setting.is_sensitive}
            onChange={setTyped}
          />
        ) : (
          <Text size="sm" c="dimmed">
            <Trans>Set by the command line only.</Trans>
          </Text>
        )}
        {save.isError && (
          <Text size="sm" c="red" role="alert">
            {sentenceOf(save.error)}
          </Text>
        )}
        <Group gap="xs">
          {isChanged && (
            <>
              <Button type="submit" size="compact-sm" loading={save.isPending}>
                <Trans>Save</Trans>
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => {
                  setTyped(null);
                  save.reset();
                }}
              >
                <Trans>Cancel</Trans>
              </Button>
            </>
          )}
          {!isChanged && !isDefault && definition.editable && (
            <Button size="compact-sm" variant="subtle" onClick={() => setTyped(definition.default_value)}>
              <Trans>Take the default</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
