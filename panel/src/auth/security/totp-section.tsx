import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { lazyOrFailure } from "../../base/lazy.ts";
import { useSentence } from "../../ui/failure.tsx";
import { SideForm } from "../../ui/forms/side-form.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { totpQuery } from "../proof/totp-query.ts";

const TotpSetUp = lazyOrFailure(async () => (await import("./totp-forms.tsx")).TotpSetUp);
const CodeRenewal = lazyOrFailure(async () => (await import("./totp-forms.tsx")).CodeRenewal);
const TotpRemoval = lazyOrFailure(async () => (await import("./totp-forms.tsx")).TotpRemoval);

/** The authenticator app and its recovery codes. */
export function TotpSection({ username }: { username: string }) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const { data, error } = useQuery(totpQuery);
  const [requested, setRequested] = useState<"set-up" | "codes" | "removal" | null>(null);
  const close = (): void => setRequested(null);
  const titles = {
    "set-up": t`Set up an authenticator app`,
    codes: t`New recovery codes`,
    removal: t`Remove the authenticator app?`,
  };
  const form = { username, onClose: close };
  return (
    <Stack gap="xs" component="section" aria-labelledby="totp">
      <div>
        <Group gap="xs">
          <Title order={2} size="h5" id="totp">
            <Trans>Authenticator app</Trans>
          </Title>
          {data?.enabled && (
            <StateBadge tone="good">
              <Trans context="authenticator app">On</Trans>
            </StateBadge>
          )}
        </Group>
        {data !== undefined && (
          <Text size="sm" c="dimmed">
            {data.enabled ? (
              <Plural
                value={data.recovery_codes_left}
                _0="A sign-in asks for a code. No recovery codes are left: make new ones."
                one="A sign-in asks for a code. # recovery code is left."
                other="A sign-in asks for a code. # recovery codes are left."
              />
            ) : (
              <Trans>
                A code from your phone in addition to the password, so that a stolen password is not enough.
              </Trans>
            )}
          </Text>
        )}
      </div>
      {data === undefined ? (
        error === null ? (
          <Skeleton height={64} />
        ) : (
          <Text size="sm">{sentenceOf(error)}</Text>
        )
      ) : (
        <Group gap="xs">
          {data.enabled ? (
            <>
              <Button size="xs" variant="default" onClick={() => setRequested("codes")}>
                <Trans>New recovery codes</Trans>
              </Button>
              <Button size="xs" variant="subtle" color="red" onClick={() => setRequested("removal")}>
                <Trans>Remove</Trans>
              </Button>
            </>
          ) : (
            <Button size="xs" variant="default" onClick={() => setRequested("set-up")}>
              <Trans>Set up</Trans>
            </Button>
          )}
        </Group>
      )}
      <SideForm title={titles[requested ?? "set-up"]} isOpen={requested !== null} onClose={close}>
        {requested === "set-up" && <TotpSetUp {...form} />}
        {requested === "codes" && <CodeRenewal {...form} />}
        {requested === "removal" && <TotpRemoval {...form} />}
      </SideForm>
    </Stack>
  );
}
