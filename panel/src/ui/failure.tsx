import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Center, Stack, Text } from "@mantine/core";
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../base/api.ts";
import { Heading } from "./heading.tsx";

/** The server's message, or a sentence for a failure without one. */
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

/** A part of the panel that a new build has replaced. Browsers word this differently. */
const isMissingFile = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|module script failed|preload CSS/i.test(error.message);

/** In place of a page. */
const Notice = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <Center mih="60vh" p="md">
    <Stack align="center" gap="sm" maw={480} ta="center">
      <Heading>{title}</Heading>
      {children}
    </Stack>
  </Center>
);

export function FailurePage({ error, reset }: ErrorComponentProps) {
  const sentenceOf = useSentence();
  return (
    <Notice title={<Trans>This page could not be shown</Trans>}>
      <Text c="dimmed">{sentenceOf(error)}</Text>
      <Button onClick={isMissingFile(error) ? () => window.location.reload() : reset}>
        {isMissingFile(error) ? <Trans>Reload</Trans> : <Trans>Try again</Trans>}
      </Button>
    </Notice>
  );
}

/** The role of the account does not reach this page. */
export const NoPermissionPage = () => (
  <Notice title={<Trans>Your account may not see this page</Trans>}>
    <Text c="dimmed">
      <Trans>An administrator can give it another role.</Trans>
    </Text>
    <Button component={Link} to="/">
      <Trans>Go to your start page</Trans>
    </Button>
  </Notice>
);

export const MissingPage = () => <Missing />;

/** With the server's message, if it has one. */
export const Missing = ({ sentence }: { sentence?: string }) => (
  <Notice title={<Trans>Page not found</Trans>}>
    {sentence !== undefined && (
      <Text c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {sentence}
      </Text>
    )}
    <Button component={Link} to="/links">
      <Trans>Show the links</Trans>
    </Button>
  </Notice>
);
