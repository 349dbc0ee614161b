import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Link } from "../../base/api.ts";
import { ChangedElsewhere, refreshLinks } from "../link-queries.ts";
import { useFieldTexts } from "./field-texts.ts";
import type { LinkSettingName } from "./link-values.ts";
import { useShownValue } from "./shown-value.ts";

type Props = {
  error: Error | null;
  /** Of a field without texts. */
  label?: string;
  /** Saves over what is there now. */
  onMine(now: Link): void;
  /** Leaves the form and its draft. What is there now is then asked for. */
  onTheirs(): void;
};

/** Says who has changed what a form would overwrite, and offers both. */
export function ChangedNotice({ error, label, onMine, onTheirs }: Props) {
  const { t } = useLingui();
  const texts = useFieldTexts();
  const shownOf = useShownValue();
  const queries = useQueryClient();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), [error]);
  if (!(error instanceof ChangedElsewhere)) return null;
  const { now, fields, by } = error;
  function keepTheirs(): void {
    onTheirs();
    void refreshLinks(queries);
  }
  return (
    <Alert ref={notice} tabIndex={-1} color="yellow" variant="light" role="alert" p="sm">
      <Text size="sm">
        {by === null ? (
          <Trans>This has changed since you opened it:</Trans>
        ) : (
          <Trans>{by} has changed this since you opened it:</Trans>
        )}
      </Text>
      {fields.map((name) => (
        <Text key={name} size="sm" fw={600} dir="auto" lineClamp={3} style={{ overflowWrap: "anywhere" }}>
          {label ?? texts[name as LinkSettingName].label}:{" "}
          {shownOf(name, now[name as keyof Link]) ?? t`Not set`}
        </Text>
      ))}
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={() => onMine(now)}>
          <Trans>Save mine</Trans>
        </Button>
        <Button size="xs" variant="default" onClick={keepTheirs}>
          <Trans>Keep theirs</Trans>
        </Button>
      </Group>
    </Alert>
  );
}
