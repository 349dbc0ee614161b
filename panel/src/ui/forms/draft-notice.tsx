import { Trans } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";

/** Says that a form has a restored draft. */
export const DraftNotice = ({ onDiscard }: { onDiscard(): void }) => (
  <Group justify="space-between" wrap="nowrap" gap="xs" role="status">
    <Text size="sm" c="dimmed">
      <Trans>What you typed before is here again.</Trans>
    </Text>
    <Button size="compact-sm" variant="default" flex="none" onClick={onDiscard}>
      <Trans>Start again</Trans>
    </Button>
  </Group>
);
