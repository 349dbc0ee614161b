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
    if (isMissingFile(error)) return t`A new version of the panel is there. Reload the page.`;
    return t`Something went wrong in the panel. Reload the page.`;
  };
}

/** A part of the panel that a new build has replaced. Browsers word it differently. */
const isMissingFile = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|module script failed|preload CSS/i.test(error.message);

export function FailurePage({ error, reset }: ErrorComponentProps) {
  const sentenceOf = useSentence();
  return (
    <Center mih="60vh" p="md">
      <Stack align="center" gap="sm" maw={480} ta="center">
        <Title order={1} size="h3">
          <Trans>This page could not be shown</Trans>
        </Title>
        <Text c="dimmed">{sentenceOf(error)}</Text>
        <Button onClick={isMissingFile(error) ? () => window.location.reload() : reset}>
          {isMissingFile(error) ? <Trans>Reload</Trans> : <Trans>Try again</Trans>}
        </Button>
      </Stack>
    </Center>
  );
}

/** The role of the account does not reach this page. */
export function NoPermissionPage() {
  return (
    <Center mih="60vh" p="md">
      <Stack align="center" gap="sm" maw={480} ta="center">
        <Title order={1} size="h3">
          <Trans>Your account may not see this page</Trans>
        </Title>
        <Text c="dimmed">
          <Trans>An administrator can give it another role.</Trans>
        </Text>
        <Button component={Link} to="/">
          <Trans>Go to your start page</Trans>
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
