import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Share, ShareMail } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { serverNow } from "../../base/server-clock.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { mailAgain, refreshShares, shareMailsQuery } from "../share-queries.ts";
import classes from "../shares.module.css";

/** The recipients, each with what became of the newest mail, to send it again once it waits no more. */
export function ShareRecipients({ share: { code, recipients } }: { share: Share }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const { data: mails = [] } = useQuery(shareMailsQuery(code));
  const send = useMutation({
    mutationFn: (emails: string[]) => mailAgain(code, emails),
    onSuccess: () => refreshShares(queries),
    onError,
  });
  const newest = new Map(mails.toReversed().map((mail) => [mail.email, mail]));
  const isWaiting = (email: string): boolean => newest.get(email)?.state === "queued";
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        <Trans>Recipients</Trans>
      </Text>
      <ul className={classes["received"]}>
        {recipients.map((email) => (
          <li key={email}>
            <Group justify="space-between" wrap="nowrap">
              <div style={{ minWidth: 0 }}>
                <Text size="sm">
                  <bdi>{email}</bdi>
                </Text>
                <div role="status">
                  <MailState mail={newest.get(email)} />
                </div>
              </div>
              {SENDS_MAILS && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  flex="none"
                  loading={send.isPending && send.variables.length === 1 && send.variables[0] === email}
                  disabled={send.isPending || isWaiting(email)}
                  onClick={() => send.mutate([email])}
                  aria-label={t`Send again to ${email}`}
                >
                  <Trans>Send again</Trans>
                </Button>
              )}
            </Group>
          </li>
        ))}
      </ul>
      {SENDS_MAILS && recipients.length > 1 && (
        <Button
          size="compact-sm"
          variant="subtle"
          disabled={send.isPending || recipients.some(isWaiting)}
          onClick={() => send.mutate(recipients)}
        >
          <Trans>Send again to all</Trans>
        </Button>
      )}
    </div>
  );
}

const JUST_NOW_MS = 60_000;

function MailState({ mail }: { mail: ShareMail | undefined }) {
  if (mail === undefined) return null;
  const { state, error, accepted_at: accepted, queued_at: queued } = mail;
  const at = accepted ?? queued;
  return (
    <Text size="xs" c={state === "refused" ? "var(--mantine-color-error)" : "dimmed"}>
      {state === "queued" ? (
        <Trans>The mail is waiting to be sent.</Trans>
      ) : state === "refused" ? (
        <Trans>The mail was refused: {error}</Trans>
      ) : serverNow() - Date.parse(at) < JUST_NOW_MS ? (
        <Trans>The mail is sent.</Trans>
      ) : (
        <Trans>The mail was sent on {formatTime(at)}.</Trans>
      )}
    </Text>
  );
}
