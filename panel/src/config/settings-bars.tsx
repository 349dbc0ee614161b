import { Plural, Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useEffect } from "react";
import { useSentence } from "../ui/failure.tsx";
import { joinNodes } from "../base/i18n.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { RestartButton } from "./restart-button.tsx";
import { settingGroupOf } from "./words/groups.ts";
import classes from "./settings.module.css";

export type NamedSetting = { key: string; name: string };

/** Leads to settings by their names. */
const Names = ({ settings }: { settings: readonly NamedSetting[] }) =>
  joinNodes(
    settings.map(({ key, name }) => (
      <AnchorLink
        key={key}
        to="/settings"
        search={{ group: settingGroupOf(key) }}
        hash={key}
        inherit
        c="inherit"
        underline="always"
      >
        {name}
      </AnchorLink>
    )),
  );

/** Counts the settings that wait for a restart. */
export function RestartBar({ settings }: { settings: readonly NamedSetting[] }) {
  if (settings.length === 0) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconRefresh size={18} />}
      role="status"
      styles={{ title: { color: "var(--mantine-color-text)" } }}
      title={
        <Plural
          value={settings.length}
          one="Restart needed: # setting waits for it"
          other="Restart needed: # settings wait for it"
        />
      }
    >
      <Text size="sm" className={classes["key"] ?? ""}>
        <Trans>After a restart these are in force:</Trans> <Names settings={settings} />
      </Text>
      <Group mt="xs" gap="sm">
        <RestartButton />
        <Text size="xs" c="dimmed">
          <Trans>Short links and downloads go on meanwhile.</Trans>
        </Text>
      </Group>
    </Alert>
  );
}

type DraftProps = {
  settings: readonly NamedSetting[];
  error: Error | null;
  isSaving: boolean;
  onSave(): void;
  onDiscard(): void;
};

/** Counts unsaved changes. */
export function DraftBar({ settings, error, isSaving, onSave, onDiscard }: DraftProps) {
  const sentenceOf = useSentence();
  const isShown = settings.length > 0;
  // It covers the field in which one types.
  useEffect(() => {
    if (isShown) document.activeElement?.scrollIntoView({ block: "nearest" });
  }, [isShown]);
  if (!isShown) return null;
  return (
    <section className={classes["bar"]}>
      <div style={{ flex: "1 1 14rem", minWidth: 0 }}>
        <Text size="sm" fw={600} role="status">
          <Plural value={settings.length} one="# change is not saved" other="# changes are not saved" />
        </Text>
        <Text size="xs" c="dimmed" lineClamp={2} className={classes["key"] ?? ""}>
          <Names settings={settings} />
        </Text>
        {error !== null && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert" lineClamp={4}>
            {sentenceOf(error)}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button size="sm" variant="default" disabled={isSaving} onClick={onDiscard}>
          {settings.length === 1 ? <Trans>Discard it</Trans> : <Trans>Discard all</Trans>}
        </Button>
        <Button size="sm" loading={isSaving} onClick={onSave}>
          {settings.length === 1 ? <Trans>Save</Trans> : <Trans>Save all</Trans>}
        </Button>
      </Group>
    </section>
  );
}
