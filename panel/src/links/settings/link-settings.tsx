import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Card, Group, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Link } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { useUndoable } from "../../ui/undo.tsx";
import { useHasDomains } from "../form/domains.ts";
import { deleteLink, type OnLinkSaved, refreshLinks, restoreLink } from "../link-queries.ts";
import { LinkUse } from "./link-use.tsx";
import { settingsOf } from "../form/link-values.ts";
import { LinkSettingRow } from "./setting-row.tsx";
import { isAddress } from "../target-use.tsx";

type Props = {
  link: Link;
  onSaved: OnLinkSaved;
  onDeleted(deleted: Link): void;
  /** Rows of a link to an address. */
  children: ReactNode;
};

/** All settings of a link with their purpose, edited in place. */
export function LinkSettings({ link, onSaved, onDeleted, children }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const hasDomains = useHasDomains() || link.domain !== null;
  const names = settingsOf(!isAddress(link.target)).filter((name) => name !== "domain" || hasDomains);
  const remove = useUndoable({
    async run() {
      await deleteLink(link);
      onDeleted(link);
    },
    undo: () => restoreLink(link),
    refresh: () => refreshLinks(queries),
    message: <Trans>{link.code} is deleted.</Trans>,
  });
  return (
    <Card withBorder p="md" component="section" aria-label={t`Settings of the link`}>
      <Text component="h2" fw={600} size="sm" mb={4}>
        <Trans>Settings</Trans>
      </Text>
      <LinkUse link={link} />
      {names.map((name) => (
        <LinkSettingRow key={name} name={name} link={link} onSaved={onSaved} />
      ))}
      {isAddress(link.target) && children}
      <Group justify="space-between" pt="sm">
        <Text size="sm" c="dimmed">
          {link.created_by === null ? (
            <Trans>Created on {formatTime(link.created_at)}</Trans>
          ) : (
            <Trans>
              Created on {formatTime(link.created_at)} by {link.created_by}
            </Trans>
          )}
        </Text>
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          leftSection={<IconTrash size={16} />}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Trans>Delete the link</Trans>
        </Button>
      </Group>
    </Card>
  );
}
