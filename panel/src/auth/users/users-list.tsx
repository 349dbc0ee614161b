import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";
import type { ListedAccount } from "../../app/api.ts";
import { formatBytes, formatDate } from "../../app/i18n.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { DataList } from "../../ui/data-list.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useRoleNames } from "./role-names.ts";

const WHOLE = { whiteSpace: "nowrap" } as const;

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
      empty={
        isFiltered ? <Trans>No account matches.</Trans> : <Trans>There are no other accounts yet.</Trans>
      }
      columns={[
        {
          title: t`Name`,
          cell: ({ username, disabled, role }) => (
            <>
              <Group gap={6}>
                <Text size="sm" fw={600}>
                  {username}
                </Text>
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
        { title: t`Role`, isHidden: "narrow", cell: ({ role }) => <span style={WHOLE}>{roles[role]}</span> },
        {
          title: t`Files`,
          isHidden: "narrow",
          cell: ({ used_bytes: used, quota_bytes: quota }) => (
            <Text
              size="sm"
              style={WHOLE}
              c={quota > 0 && used >= quota ? "var(--mantine-color-error)" : "dimmed"}
            >
              {quota === 0 ? formatBytes(used) : t`${formatBytes(used)} of ${formatBytes(quota)}`}
            </Text>
          ),
        },
        {
          title: t`Created`,
          isHidden: "narrow",
          cell: ({ created_at: created }) => (
            <span style={WHOLE}>{created === null ? "" : formatDate(created)}</span>
          ),
        },
        {
          title: t`Actions`,
          cell: (account) => (
            <Group gap={4} wrap="nowrap">
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={t`Edit ${account.username}`}
                onClick={() => onEdit(account)}
              >
                <Trans>Edit</Trans>
              </Button>
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={t`Delete ${account.username}`}
                onClick={() => onRemove(account)}
              >
                <Trans>Delete</Trans>
              </Button>
              <AnchorLink to="/events" search={{ actor: account.username }} size="sm" visibleFrom="sm">
                <Trans>Events</Trans>
              </AnchorLink>
            </Group>
          ),
        },
      ]}
    />
  );
}
