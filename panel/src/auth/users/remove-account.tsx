import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { List, Skeleton, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Account } from "../../base/api.ts";
import { formatBytes } from "../../base/i18n.ts";
import { useSentence } from "../../ui/failure.tsx";
import { RemoveOwner } from "../teams/remove-owner.tsx";
import { belongingsQuery, refreshUsers, removeAccount } from "./user-queries.ts";

type Props = { account: Account; onClose(): void };

/** Names what is deleted with an account. */
export function RemoveAccount({ account, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <RemoveOwner
      title={t`Delete the account ${account.username}?`}
      remove={(owner) => removeAccount(account, owner)}
      refresh={() => refreshUsers(queries)}
      onClose={onClose}
    >
      <Belongings account={account} />
    </RemoveOwner>
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
        <Trans>This also deletes, for good, but files, folders and shares only if nobody gets them:</Trans>
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
          one="Its link needs another owner, unless it is a share."
          other="Its # links need another owner, without the shares among them."
        />
      </Text>
    </>
  );
}
