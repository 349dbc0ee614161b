import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, List, Skeleton, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Policy, PolicyUsage } from "../../base/api.ts";
import { formatBytes } from "../../base/i18n.ts";
import { ConfirmButton } from "../../ui/forms/confirm-button.tsx";
import { FailureAlert } from "../../ui/failure-alert.tsx";
import { policyUsageQuery, removePolicy } from "./policy-queries.ts";

/** What the storage holds, and what prevents its deletion. */
export function PolicyContents({ policy }: { policy: Policy }) {
  const { data, error } = useQuery(policyUsageQuery(policy));
  if (error !== null && data === undefined) {
    return <FailureAlert error={error} />;
  }
  // As high as what comes: the default is always in the way.
  if (data === undefined) return <Skeleton height={policy.is_default ? 52 : 22} />;
  return (
    <>
      <Text size="sm">
        {data.objects === 0 ? (
          <Trans>It is empty.</Trans>
        ) : (
          <Trans>
            <Plural value={data.objects} one="# object" other="# objects" />, {formatBytes(data.bytes)},{" "}
            <Plural value={data.accounts} one="of # account" other="of # accounts" />
          </Trans>
        )}
      </Text>
      {data.deletion_blocked_by !== null && <Obstacles policy={policy} usage={data} />}
    </>
  );
}

/** Shown only if nothing prevents it, as far as the list and the later usage tell. */
export function RemovePolicy({ policy }: { policy: Policy }) {
  const { t } = useLingui();
  const { data } = useQuery(policyUsageQuery(policy));
  if (policy.is_default) return null;
  if (data === undefined) {
    // Keeps the room of what comes.
    return (
      <Button size="compact-sm" variant="subtle" style={{ visibility: "hidden" }}>
        {t`Delete`}
      </Button>
    );
  }
  if (data.deletion_blocked_by !== null) return null;
  return (
    <ConfirmButton
      label={t`Delete`}
      of={policy.name}
      question={t`The storage ${policy.name} is empty and is no longer used. What is in its place is left alone.`}
      list="policies"
      run={() => removePolicy(policy)}
    />
  );
}

function Obstacles({ policy, usage }: { policy: Policy; usage: PolicyUsage }) {
  const { folders, largest_accounts: accounts, unfinished_uploads: uploads } = usage;
  return (
    <details>
      <summary>
        <Trans>Why it can't be deleted</Trans>
        <VisuallyHidden>: {policy.name}</VisuallyHidden>
      </summary>
      <List size="sm" mt={4} style={{ overflowWrap: "anywhere" }}>
        {policy.is_default && (
          <List.Item>
            <Trans>It is the default. Make another storage the default first.</Trans>
          </List.Item>
        )}
        {accounts.map(({ id, username, files, bytes }) => (
          <List.Item key={id}>
            <Plural
              value={files}
              one={`${username}: # file, ${formatBytes(bytes)}`}
              other={`${username}: # files, ${formatBytes(bytes)}`}
            />
          </List.Item>
        ))}
        {folders.map(({ id, name }) => (
          <List.Item key={id}>
            <Trans>The folder {name} uses it for its files.</Trans>
          </List.Item>
        ))}
        {uploads > 0 && (
          <List.Item>
            <Plural value={uploads} one="# unfinished upload" other="# unfinished uploads" />
          </List.Item>
        )}
      </List>
    </details>
  );
}
