import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { SettingChange } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { LoadedRows } from "../ui/long/loaded-rows.tsx";
import { settingHistoryQuery, type ShownSetting } from "./setting-queries.ts";
import classes from "./settings.module.css";

type Props = { shown: ShownSetting; onTake(value: string): void };

/** Who changed a setting, when, from what to what. */
export function SettingHistory({ shown, onTake }: Props) {
  const { data, error } = useQuery(settingHistoryQuery(shown.definition.key));
  return (
    <LoadedRows rows={data} error={error} none={<Trans>It was never changed.</Trans>}>
      {(changes) => (
        <Stack component="ol" gap={0} p={0} m={0}>
          {changes.map((change) => (
            <Change key={change.id} change={change} shown={shown} onTake={onTake} />
          ))}
        </Stack>
      )}
    </LoadedRows>
  );
}

function Change({ change, shown, onTake }: Props & { change: SettingChange }) {
  const { t } = useLingui();
  const { old_value: before, new_value: after, changed_at: at, changed_by: by } = change;
  const mayTake = before !== null && shown.definition.editable && !shown.setting.is_sensitive;
  return (
    <li className={classes["change"]}>
      <Text size="sm" c="dimmed">
        <Trans>
          {formatTime(at)}, by <b>{by}</b>
        </Trans>
      </Text>
      <Group gap={6} className={classes["key"] ?? ""}>
        <Value text={before} /> → <Value text={after} />
      </Group>
      {mayTake && (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t`Take back ${isPicture(before) ? t`Logo` : before || t`empty`}`}
          onClick={() => onTake(before)}
        >
          <Trans>Take back the old value</Trans>
        </Button>
      )}
    </li>
  );
}

const isPicture = (text: string | null): boolean => text?.startsWith("data:image/") === true;

function Value({ text }: { text: string | null }) {
  const { t } = useLingui();
  return isPicture(text) ? (
    <img src={text!} alt={t`Logo`} className={classes["logo"]} />
  ) : (
    <Code>{text || t`empty`}</Code>
  );
}
