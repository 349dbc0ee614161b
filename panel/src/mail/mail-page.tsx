import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Mail } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { DataList } from "../ui/lists/data-list.tsx";
import { Empty } from "../ui/empty.tsx";
import { LoadOn } from "../ui/long/load-on.tsx";
import { LongRows } from "../ui/long/long-rows.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { MAIL_TONES, mailServerQuery, mailsQuery, retryMail } from "./mail-queries.ts";
import { useKindNames, useStateNames } from "./mail-texts.ts";
import { TestMail } from "./test-mail.tsx";

export function MailPage() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [kinds, states] = [useKindNames(), useStateNames()];
  const list = useInfiniteQuery(mailsQuery);
  const { data: server } = useQuery(mailServerQuery);
  const isOff = server?.from === "";
  const refresh = () =>
    Promise.all(["mails", "mail-server"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  const retry = useMutation({ mutationFn: retryMail, onSettled: refresh });
  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Mail`}
        sentence={<Trans>What was sent in the last 30 days, what is waiting and what failed.</Trans>}
      />
      {isOff && (
        <Empty
          title={<Trans>Mail is not set up yet.</Trans>}
          sentence={<Trans>No e-mail is sent until a mail server is set up.</Trans>}
        >
          <ButtonLink to="/settings" search={{ group: "mail" }}>
            <Trans>Set up mail</Trans>
          </ButtonLink>
        </Empty>
      )}
      {server !== undefined && server.message !== "" && (
        <Alert color="orange" variant="light" title={t`Mails are not being sent`}>
          <span lang="en">{server.message}</span>
        </Alert>
      )}
      {server?.enabled && <TestMail />}
      <DataList<Mail>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Mail`}
        items={list.data?.pages.flatMap((page) => page.data)}
        error={list.error}
        onRetry={() => void list.refetch()}
        keyOf={({ id }) => id}
        empty={isOff ? null : <Empty title={<Trans>No mails yet.</Trans>} />}
        columns={[
          {
            title: t`Recipient`,
            cell: ({ recipient, kind }) => (
              <>
                <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                  {recipient}
                </Text>
                <Text size="xs" c="dimmed">
                  {kinds[kind] ?? kind}
                </Text>
              </>
            ),
          },
          {
            title: t`State`,
            cell: ({ state, error, sent_at: sent, due_at: due }) => (
              <>
                <StateBadge tone={MAIL_TONES[state]}>{states[state]}</StateBadge>
                {state === "waiting" && error !== null && due !== null && (
                  <Text size="xs" c="dimmed">
                    {t`Next attempt: ${formatTime(due)}`}
                  </Text>
                )}
                {sent !== null && (
                  <Text size="xs" c="dimmed">
                    {formatTime(sent)}
                  </Text>
                )}
                {error !== null && (
                  <Text size="xs" lang="en" style={{ overflowWrap: "anywhere" }}>
                    {error}
                  </Text>
                )}
              </>
            ),
          },
          {
            title: t`When`,
            isHidden: "narrow",
            fit: "value",
            cell: ({ created_at: created }) => formatTime(created),
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: ({ id, state, error, recipient }) =>
              (state === "failed" || (state === "waiting" && error !== null)) && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={t`Send the mail to ${recipient} now`}
                  loading={retry.isPending && retry.variables === id}
                  onClick={() => retry.mutate(id)}
                >
                  <Trans>Send now</Trans>
                </Button>
              ),
          },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}
