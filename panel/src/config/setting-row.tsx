import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Stack, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import type { FormEvent } from "react";
import { sentenceGap } from "../base/i18n.ts";
import { StateBadge } from "../ui/state-badge.tsx";
import { useNamed } from "../ui/forms/named.ts";
import { RestartButton } from "./restart-button.tsx";
import { SettingField } from "./setting-field.tsx";
import type { SettingFaults } from "./setting-drafts.ts";
import { groupedNumber, longUnit } from "./setting-numbers.ts";
import { type ShownSetting, storedText } from "./setting-queries.ts";
import { useUnitNames } from "./words/setting-texts.ts";
import { wordsOf } from "./words/setting-words.ts";
import classes from "./settings.module.css";

type Props = {
  shown: ShownSetting;
  /** With key, limits and default. */
  isDetailed: boolean;
  /** Undefined: nothing typed. Null: back to the default. */
  draft: string | null | undefined;
  faults: SettingFaults;
  isSaving: boolean;
  /** Several changes are shown, so each can be saved by itself. */
  isOneOfMany: boolean;
  onChange(value: string | null): void;
  onLeave(): void;
  onSave(): void;
  onDiscard(): void;
  onHistory(): void;
};

export function SettingRow({ shown, draft, faults, isSaving, isOneOfMany, onHistory, ...does }: Props) {
  const { isDetailed } = does;
  const { t } = useLingui();
  const { definition, setting } = shown;
  const { key, default_value: fallback } = definition;
  const words = wordsOf(definition);
  const named = useNamed();
  const stored = storedText(shown);
  const isChanged = draft !== undefined;
  const value = isChanged ? draft : stored;
  const isEditable = definition.editable && setting.is_fixed !== true;
  const mayReset = isEditable && !setting.is_sensitive && value !== fallback;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged) does.onSave();
  }
  return (
    <form
      id={key}
      className={classes["row"]}
      data-changed={isChanged || undefined}
      noValidate
      onSubmit={submit}
    >
      <div>
        <Group gap={6} wrap="nowrap" align="start">
          <Text
            component="h3"
            size="sm"
            fw={600}
            lh="24px"
            lang={words.lang}
            title={key}
            className={classes["key"] ?? ""}
          >
            {words.name}
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            aria-label={t`History of ${words.name}`}
            onClick={onHistory}
          >
            <IconHistory size={15} />
          </ActionIcon>
        </Group>
        {isDetailed && <code className={classes["name"]}>{key}</code>}
        <Text size="xs" c="dimmed" lang={words.lang}>
          {words.description}
        </Text>
        {isDetailed && <Limits shown={shown} />}
        {definition.requires_restart && setting.pending_value === undefined && (
          <Text size="xs" c="dimmed" mt={2}>
            <Trans>Needs a restart.</Trans>
          </Text>
        )}
        {setting.pending_value !== undefined && <Pending setting={setting} />}
      </div>
      <Stack gap={6}>
        {isEditable ? (
          <SettingField
            shown={shown}
            value={value}
            faults={faults}
            onChange={does.onChange}
            onLeave={() => isChanged && does.onLeave()}
          />
        ) : (
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {!definition.editable ? (
              <Trans>Set by the command line only.</Trans>
            ) : setting.is_sensitive ? (
              <Trans>Set in waymark.toml or the environment.</Trans>
            ) : (
              <Trans>Set in waymark.toml or the environment: {setting.value}</Trans>
            )}
          </Text>
        )}
        <Group gap="xs" mih={isDetailed && !setting.is_sensitive ? 26 : 0}>
          {isChanged && isOneOfMany && (
            <Button
              type="submit"
              size="compact-sm"
              variant="light"
              aria-label={named(t`Save this one`, words.name)}
              loading={isSaving}
            >
              <Trans>Save this one</Trans>
            </Button>
          )}
          {isChanged && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              disabled={isSaving}
              aria-label={t`Discard the change of ${words.name}`}
              onClick={does.onDiscard}
            >
              <Trans>Discard</Trans>
            </Button>
          )}
          {mayReset && (
            <Button
              size="compact-sm"
              variant="subtle"
              ms={-9}
              aria-label={named(t`Use the default`, words.name)}
              onClick={() => does.onChange(fallback)}
            >
              <Trans>Use the default</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** The value until the restart. */
const Pending = ({ setting }: Pick<ShownSetting, "setting">) => (
  <Text size="sm" mt={4}>
    <StateBadge tone="warning">
      <Trans>Restart needed</Trans>
    </StateBadge>{" "}
    {setting.is_sensitive ? null : setting.value === "" ? (
      <Trans>Until the restart it is empty.</Trans>
    ) : (
      <Trans>Until the restart it is {setting.value}.</Trans>
    )}{" "}
    <RestartButton />
  </Text>
);

function Limits({ shown: { definition, setting } }: { shown: ShownSetting }) {
  const { t } = useLingui();
  const units = useUnitNames();
  const { allowed, lang } = wordsOf(definition);
  const { default_value: fallback, unit, value_type: type } = definition;
  const state = fallback === "true" ? t`on` : t`off`;
  const list = type === "stringarray" || type === "enumarray";
  const plain = type === "bool" ? state : list ? listText(fallback) : groupedNumber(fallback);
  const long = unit === "seconds" ? longUnit(Number(fallback)) : undefined;
  const shown = [plain, unit !== null && units[unit], long && `(${long})`].filter(Boolean).join(" ");
  return (
    <Text size="xs" c="dimmed" mt={2} className={classes["key"] ?? ""}>
      {allowed !== undefined && <span lang={lang}>{allowed}</span>}
      {sentenceGap()}
      {!setting.is_sensitive &&
        (plain === "" ? <Trans>Default: empty.</Trans> : <Trans>Default: {shown}.</Trans>)}
    </Text>
  );
}

const listText = (text: string): string => (JSON.parse(text) as string[]).join(", ");
