import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { Share } from "../base/api.ts";
import { SENDS_MAILS } from "../base/place.ts";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import { mailAgain } from "./share-queries.ts";
import classes from "./shares.module.css";

/** Those who got the mail of a share, to send it again. */
export function ShareRecipients({ share: { code, recipients } }: { share: Share }) {
  const { t } = useLingui();
  const onError = useFailureNotice();
  const send = useMutation({
    mutationFn: (emails: string[]) => mailAgain(code, emails),
    onSuccess(_, [email, ...more]) {
      const isOne = more.length === 0;
      notifications.show({
        message: isOne
          ? t`The link is on its way to ${email}.`
          : t`The link is on its way to all recipients.`,
      });
    },
    onError,
  });
  return (
    <div>
      <ul className={classes["received"]}>
        {recipients.map((email) => (
          <li key={email}>
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm" miw={0}>
                <bdi>{email}</bdi>
              </Text>
              {SENDS_MAILS && (
                <Button
                  size="compact-sm"
                  variant="default"
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
        ))}
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
