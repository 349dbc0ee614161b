import { Trans, useLingui } from "@lingui/react/macro";
import { Progress, Stack, Text } from "@mantine/core";
import type { ImportStep } from "./import-request.ts";

export function ImportProgress({ step: { stage, share } }: { step: ImportStep }) {
  const { t } = useLingui();
  const stages = {
    sending: t`Sending the file`,
    passwords: t`Hashing passwords, about fifty a second`,
    links: t`Writing links`,
  };
  return (
    <Stack gap="xs" mih={120} justify="center">
      <Text fw={600} aria-live="polite">
        {stages[stage]}
      </Text>
      <Progress.Root size="lg">
        <Progress.Section value={share * 100} aria-label={t`Progress of the import`} />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        <Trans>It continues while you look at other pages. Keep this tab open.</Trans>
      </Text>
    </Stack>
  );
}
