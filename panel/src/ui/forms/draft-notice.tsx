import { Trans } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";

type Props = {
  /** The draft changes something that exists. */
  isOfExisting?: boolean;
  onDiscard(): void;
};

/** Says that a form has a restored draft. */
export const DraftNotice = ({ isOfExisting = false, onDiscard }: Props) => (
  <Group justify="space-between" wrap="nowrap" gap="xs" role="status">
    <Text size="sm" c="dimmed">
      <Trans>What you typed before is here again.</Trans>
    </Text>
    <Button size="compact-sm" variant="default" flex="none" onClick={onDiscard}>
      {isOfExisting ? <Trans>Discard changes</Trans> : <Trans>Start again</Trans>}
    </Button>
  </Group>
);
