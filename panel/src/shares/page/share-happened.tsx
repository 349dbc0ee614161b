import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Share } from "../../base/api.ts";
import { formatNumber, formatTime } from "../../base/i18n.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { mailAgain, shareMailsQuery, refreshShares } from "../share-queries.ts";
import classes from "../shares.module.css";
import { ShareTimeline } from "./share-timeline.tsx";

/** What happened with a share or drop box: figures, people, and a timeline. */
export function ShareHappened({ share }: { share: Share }) {
  const { downloads, max_downloads: most, drop, kind } = share;
  const left = most === null ? null : Math.max(0, most - downloads);
  return (
    <Stack gap="lg" component="section">
      <Group gap="xl">
        <Figure value={share.human_clicks}>
          <Plural value={share.human_clicks} one="visit" other="visits" />
        </Figure>
        {kind === "drop" ? (
          <Figure value={drop?.files ?? 0}>
            <Plural value={drop?.files ?? 0} one="file came in" other="files came in" />
          </Figure>
        ) : (
          <Figure value={downloads}>
            <Plural value={downloads} one="download" other="downloads" />
          </Figure>
        )}
        {left !== null && (
          <Figure value={left}>
            <Plural value={left} one="download left" other="downloads left" />
          </Figure>
        )}
      </Group>
      {share.recipients.length > 0 && <People share={share} />}
      <ShareTimeline share={share} />
    </Stack>
  );
}

const Figure = ({ value, children }: { value: number; children: ReactNode }) => (
  <div>
    <Text fz={28} fw={600} lh={1.1} style={{ fontVariantNumeric: "tabular-nums" }}>
      {formatNumber(value)}
    </Text>
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  </div>
);

/** The recipients, each with what became of the newest mail, to send it again. */
function People({ share: { code, recipients } }: { share: Share }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const { data: mails = [] } = useQuery(shareMailsQuery(code));
  const send = useMutation({
    mutationFn: (emails: string[]) => mailAgain(code, emails),
    onSuccess: async (_, [email, ...more]) => {
      notifications.show({
        message:
          more.length === 0
            ? t`The link is on its way to ${email}.`
            : t`The link is on its way to all recipients.`,
      });
      await refreshShares(queries);
    },
    onError,
  });
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        <Trans>Recipients</Trans>
      </Text>
      <ul className={classes["received"]}>
        {recipients.map((email) => {
          const mail = mails.find((one) => one.email === email);
          return (
            <li key={email}>
              <Group justify="space-between" wrap="nowrap">
                <div style={{ minWidth: 0 }}>
                  <Text size="sm">
                    <bdi>{email}</bdi>
                  </Text>
                  {mail !== undefined && (
                    <Text size="xs" c={mail.state === "refused" ? "var(--mantine-color-error)" : "dimmed"}>
                      {mail.state === "accepted" ? (
                        <Trans>The mail was sent on {formatTime(mail.accepted_at ?? mail.queued_at)}.</Trans>
                      ) : mail.state === "queued" ? (
                        <Trans>The mail is waiting to be sent.</Trans>
                      ) : (
                        <Trans>The mail was refused: {mail.error}</Trans>
                      )}
                    </Text>
                  )}
                </div>
                {SENDS_MAILS && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    flex="none"
                    loading={send.isPending && send.variables.length === 1 && send.variables[0] === email}
                    disabled={send.isPending}
                    onClick={() => send.mutate([email])}
                    aria-label={t`Send again to ${email}`}
                  >
                    <Trans>Send again</Trans>
                  </Button>
                )}
              </Group>
            </li>
          );
        })}
      </ul>
      {SENDS_MAILS && recipients.length > 1 && (
        <Button
          size="compact-sm"
          variant="subtle"
          disabled={send.isPending}
          onClick={() => send.mutate(recipients)}
        >
          <Trans>Send again to all</Trans>
        </Button>
      )}
    </div>
  );
}
