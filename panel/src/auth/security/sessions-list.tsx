import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OwnSession } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { ConfirmButton } from "../../ui/forms/confirm-button.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Parts } from "../../ui/lists/parts.tsx";
import { Pages } from "../../ui/pages.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { endSession, sessionsQuery } from "./security-queries.ts";

/** Where the account is signed in. */
export function SessionsList() {
  const { t } = useLingui();
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(sessionsQuery(page));
  const nameOf = ({ browser, os }: OwnSession): string =>
    [browser, os].filter((name) => name !== null).join(" · ") || t`Unknown browser`;
  const ways = {
    password: t({ message: "Password", context: "signed in with" }),
    totp: t`Password and code`,
    recovery_code: t`Password and recovery code`,
    passkey: t`Passkey`,
    oidc: t({ message: "Single sign-on", context: "signed in with" }),
    oidc_mfa: t`Single sign-on with second factor`,
  };
  return (
    <Stack gap="xs" component="section" aria-labelledby="sessions">
      <div>
        <Title order={2} size="h5" id="sessions">
          <Trans>Sessions</Trans>
        </Title>
        <Text size="sm" c="dimmed">
          <Trans>
            Where you are signed in. End sessions that you don’t recognize, then change your password in the
            account menu.
          </Trans>
        </Text>
      </div>
      <DataList<OwnSession>
        label={t`Sessions`}
        items={data?.data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          {
            title: t`Browser`,
            cell: (session) => (
              <>
                <Group gap={6}>
                  <Text size="sm" fw={600}>
                    {nameOf(session)}
                  </Text>
                  {session.current && (
                    <StateBadge tone="good">
                      <Trans>This browser</Trans>
                    </StateBadge>
                  )}
                </Group>
                {session.signed_in_by !== null && (
                  <Text size="xs" c="dimmed">
                    {ways[session.signed_in_by]}
                  </Text>
                )}
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  <Parts>
                    {session.address}
                    {formatTime(session.last_used_at)}
                  </Parts>
                </Text>
              </>
            ),
          },
          { title: t`IP address`, isHidden: "narrow", width: "9rem", cell: ({ address }) => address ?? "" },
          {
            title: t`Last used`,
            isHidden: "narrow",
            fit: "value",
            cell: ({ last_used_at: used }) => formatTime(used),
          },
          {
            title: t({ message: "Signed in", context: "date" }),
            isHidden: "medium",
            fit: "value",
            cell: ({ created_at: created }) => formatTime(created),
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: (session) =>
              !session.current && (
                <ConfirmButton
                  label={t({ message: "End", context: "a session" })}
                  of={t`${nameOf(session)}, signed in ${formatTime(session.created_at)}`}
                  question={t`${nameOf(session)} is signed out at once.`}
                  list="sessions"
                  run={() => endSession(session.id)}
                />
              ),
          },
        ]}
      />
      <Pages of={data?.pagination} onPage={setPage} />
    </Stack>
  );
}
