import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Skeleton, Text } from "@mantine/core";
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
      except={account.username}
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
        <Plural
          value={data.tokens}
          _0="Its sessions are deleted for good."
          one="Its sessions and # API token are deleted for good."
          other="Its sessions and # API tokens are deleted for good."
        />
      </Text>
      <div>
        <Text size="sm">
          <Trans>
            Its files, folders and shares go to the new owner you name below. If you name nobody, they are
            deleted for good as well.
          </Trans>
        </Text>
        <Text size="sm" c="dimmed">
          <Plural value={data.files} one="# file" other="# files" />, {formatBytes(data.used_bytes)},{" "}
          <Plural value={data.folders} one="# folder" other="# folders" />
        </Text>
      </div>
      <Text size="sm">
        <Plural
          value={data.links}
          _0="It has no links."
          one="It has # link or share. A link needs a new owner, a share does not."
          other="It has # links and shares. Links need a new owner, shares do not."
        />
      </Text>
    </>
  );
}
