import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { useCopy } from "../../ui/copy/copy-state.ts";

/** A token is shown once. */
export function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(secret);
  const example = `curl -H "Authorization: Bearer $TOKEN" ${SERVER_URL}${ADMIN_PREFIX}/v1/auth/me`;
  return (
    <Alert
      color="green"
      withCloseButton
      onClose={onClose}
      closeButtonLabel={t`Close`}
      title={t`Copy the token now. It is not shown again.`}
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
          <Trans>A program sends it as a bearer token:</Trans>{" "}
          <Code style={{ overflowWrap: "anywhere" }}>{example}</Code>
        </Text>
      </Stack>
    </Alert>
  );
}
