import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, List, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Account } from "../../base/api.ts";
import { formatBytes } from "../../base/i18n.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useSentence } from "../../ui/failure.tsx";
import { useLateAnswer } from "../../ui/late-answer.ts";
import { NextOwner } from "../teams/next-owner.tsx";
import { belongingsQuery, refreshUsers, removeAccount } from "./user-queries.ts";

type Props = { account: Account; onClose(): void };

/** Asks before an account is deleted, and names what is deleted with it. */
export function RemoveAccount({ account, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const { close, tellIfGone } = useLateAnswer(onClose);
  const [owner, setOwner] = useState("");
  const remove = useMutation({
    mutationFn: () => removeAccount(account, owner.trim()),
    async onSuccess() {
      close();
      await refreshUsers(queries);
    },
    onError: tellIfGone,
  });
  return (
    <Dialog title={t`Delete the account ${account.username}?`} isOpen onClose={onClose}>
      <Stack gap="sm">
        <Belongings account={account} />
        <NextOwner value={owner} onChange={setOwner} />
        {remove.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(remove.error)}
          </Alert>
        )}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Cancel</Trans>
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            <Trans>Delete for good</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Belongings({ account }: { account: Account }) {
  const sentenceOf = useSentence();
  const { data, error } = useQuery(belongingsQuery(account));
  if (error !== null && data === undefined) return <Text size="sm">{sentenceOf(error)}</Text>;
  if (data === undefined) return <Skeleton height={92} />;
  return (
    <>
      <Text size="sm">
        <Trans>This also deletes, for good:</Trans>
      </Text>
      <List size="sm">
        <List.Item>
          <Plural value={data.files} one="# file" other="# files" />, {formatBytes(data.used_bytes)},{" "}
          <Plural value={data.folders} one="# folder" other="# folders" />
        </List.Item>
        <List.Item>
          <Plural value={data.tokens} one="# API token" other="# API tokens" />
        </List.Item>
        <List.Item>
          <Trans>its sessions and shares</Trans>
        </List.Item>
      </List>
      <Text size="sm">
        <Plural
          value={data.links}
          _0="It has no links."
          one="Its link stays, unless it is a share."
          other="Its # links stay, without the shares among them."
        />
      </Text>
    </>
  );
}
