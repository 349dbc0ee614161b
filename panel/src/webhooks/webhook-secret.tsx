import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useCopy } from "../ui/copy/copy-state.ts";

/** A secret is shown once. */
export function WebhookSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(secret);
  return (
    <Alert
      color="green"
      withCloseButton
      onClose={onClose}
      closeButtonLabel={t`Close`}
      title={t`Copy the secret now. It is not shown again.`}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      <Stack gap={6}>
        <Group gap="xs">
          <Code style={{ overflowWrap: "anywhere" }}>{secret}</Code>
          <Button size="compact-sm" variant="default" onClick={copy}>
            {isCopied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
          </Button>
        </Group>
        <Text size="sm">
          <Trans>The receiver checks the signatures of requests with it, as Standard Webhooks says.</Trans>
        </Text>
      </Stack>
    </Alert>
  );
}
