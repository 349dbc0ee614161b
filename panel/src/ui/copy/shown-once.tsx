import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useCopy } from "./copy-state.ts";

type Props = {
  secret: string;
  /** Says that it must be copied now. */
  title: string;
  onClose(): void;
  /** What it is for. */
  children: ReactNode;
};

/** A secret that is shown once. */
export function ShownOnce({ secret, title, onClose, children }: Props) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(secret);
  return (
    <Alert
      color="green"
      withCloseButton
      onClose={onClose}
      closeButtonLabel={t`Close`}
      title={title}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      <Stack gap={6}>
        <Group gap="xs">
          <Code style={{ overflowWrap: "anywhere" }}>{secret}</Code>
          <Button size="compact-sm" variant="default" onClick={copy}>
            {isCopied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
          </Button>
        </Group>
        <Text size="sm">{children}</Text>
      </Stack>
    </Alert>
  );
}
