import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { ADMIN_PREFIX, SERVER_URL } from "../../app/place.ts";

/** A token is shown once. */
export function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { t } = useLingui();
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
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="default" onClick={copy}>
                {copied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Text size="sm">
          <Trans>A program sends it as a bearer token:</Trans>{" "}
          <Code style={{ overflowWrap: "anywhere" }}>{example}</Code>
        </Text>
      </Stack>
    </Alert>
  );
}
