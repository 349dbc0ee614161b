import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Center, Stack, Text, Title } from "@mantine/core";
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { ApiError } from "../app/api.ts";

/** The server's own sentence, or one for a failure that has none. */
export function useSentence(): (error: unknown) => string {
  const { t } = useLingui();
  return (error) => {
    if (error instanceof ApiError && error.message !== "") return error.message;
    if (error instanceof ApiError && error.status === 0) {
      return t`The server can't be reached. Check the connection; the panel tries again.`;
    }
    return t`Something went wrong in the panel. Reload the page.`;
  };
}

export function FailurePage({ error, reset }: ErrorComponentProps) {
  const sentenceOf = useSentence();
  return (
    <Center mih="60vh" p="md">
      <Stack align="center" gap="sm" maw={480} ta="center">
        <Title order={1} size="h3">
          <Trans>This page could not be shown</Trans>
        </Title>
        <Text c="dimmed">{sentenceOf(error)}</Text>
        <Button onClick={reset}>
          <Trans>Try again</Trans>
        </Button>
      </Stack>
    </Center>
  );
}

export function MissingPage() {
  return (
    <Center mih="60vh" p="md">
      <Stack align="center" gap="sm" maw={480} ta="center">
        <Title order={1} size="h3">
          <Trans>There is nothing at this address</Trans>
        </Title>
        <Button component={Link} to="/links">
          <Trans>Show the links</Trans>
        </Button>
      </Stack>
    </Center>
  );
}
