import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Text } from "@mantine/core";
import type { ListedAccount } from "../../base/api.ts";
import { formatBytes, formatDate } from "../../base/i18n.ts";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useRoleNames } from "./role-names.ts";
import { AccountRowMenu } from "./account-row-menu.tsx";

type Props = {
  accounts: readonly ListedAccount[] | undefined;
  error: Error | null;
  isFiltered: boolean;
  onRetry(): void;
  onEdit(account: ListedAccount): void;
  onRemove(account: ListedAccount): void;
};

export function UsersList({ accounts, error, isFiltered, onRetry, onEdit, onRemove }: Props) {
  const { t } = useLingui();
  const roles = useRoleNames();
  return (
    <DataList<ListedAccount>
      label={t`Accounts`}
      items={accounts}
      error={error}
      onRetry={onRetry}
      keyOf={({ id }) => id}
      onOpen={onEdit}
      empty={
        isFiltered ? (
          <Empty
            title={<Trans>No account matches.</Trans>}
            sentence={<Trans>Change the search or the filters.</Trans>}
          />
        ) : (
          <Empty
            title={<Trans>There are no other accounts yet.</Trans>}
            sentence={<Trans>With an account of their own, others make links or share files here.</Trans>}
          />
        )
      }
      columns={[
        {
          title: t({ message: "Name", context: "of a person" }),
          cell: ({ username, display_name: name, disabled, invited, role }) => (
            <>
              <Group gap={6}>
                <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                  <bdi>{name ?? username}</bdi>
                </Text>
                {name !== null && (
                  <Text size="xs" c="dimmed">
                    {username}
                  </Text>
                )}
                {invited && !disabled && (
                  <StateBadge tone="warning">
                    <Trans>Invited</Trans>
                  </StateBadge>
                )}
                {disabled && (
                  <StateBadge tone="quiet">
                    <Trans>Disabled</Trans>
                  </StateBadge>
                )}
              </Group>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                {roles[role]}
              </Text>
            </>
          ),
        },
        { title: t`Role`, isHidden: "narrow", fit: "value", cell: ({ role }) => roles[role] },
        {
          title: t`Used space`,
          isHidden: "narrow",
          fit: "number",
          cell: ({ used_bytes: used, quota_bytes: quota }) => (
            <Text size="sm" c={quota > 0 && used >= quota ? "var(--mantine-color-error)" : "dimmed"}>
              {quota === 0 ? formatBytes(used) : t`${formatBytes(used)} of ${formatBytes(quota)}`}
            </Text>
          ),
        },
        {
          title: t`Created`,
          isHidden: "medium",
          fit: "value",
          cell: ({ created_at: created }) => (created === null ? "" : formatDate(created)),
        },
        {
          title: t`Actions`,
          fit: "actions",
          cell: (account) => (
            <AccountRowMenu
              account={account}
              onEdit={() => onEdit(account)}
              onRemove={() => onRemove(account)}
            />
          ),
        },
      ]}
    />
  );
}
