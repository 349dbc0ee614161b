import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Link } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { useUndoable } from "../../ui/notices/undo.tsx";
import { useOwners } from "../form/owners.ts";
import { useHasDomains } from "../form/domains.ts";
import { deleteLink, type OnLinkSaved, refreshLinks, restoreLink } from "../link-queries.ts";
import { TakeDown } from "../review.tsx";
import { LinkUse } from "./link-use.tsx";
import { groupOf, settingsOf } from "../form/link-values.ts";
import { LinkSettingRow } from "./setting-row.tsx";
import { isAddress } from "../target-use.tsx";
import { usePersonName } from "../../ui/person-name.tsx";

type Props = {
  link: Link;
  onSaved: OnLinkSaved;
  onDeleted(deleted: Link): void;
  /** Below what leads to an address. */
  children: ReactNode;
};

/** All settings of a link in groups, with their purpose, edited in place. */
export function LinkSettings({ link, onSaved, onDeleted, children }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const author = usePersonName(link.created_by ?? "");
  const hasDomains = useHasDomains() || link.domain !== null;
  const hasOwners = useOwners("change").length > 1;
  const names = settingsOf(!isAddress(link.target)).filter(
    (name) => (name !== "domain" || hasDomains) && (name !== "owner" || hasOwners),
  );
  const groups = [
    { group: "leads", title: t`Where it leads` },
    { group: "when", title: t`When and how often` },
    { group: "protection", title: t`Protection` },
    { group: "preview", title: t`Preview in messages` },
    { group: "about", title: t`About` },
  ] as const;
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
    <Stack component="section" aria-label={t`Settings of the link`} gap="lg" maw={900}>
      {groups.map(({ group, title }) => {
        const rows = names.filter((name) => groupOf(name) === group);
        const leads = group === "leads";
        return (
          (rows.length > 0 || leads) && (
            <div key={group}>
              <Text component="h2" fw={600} size="sm" mb={4}>
                {title}
              </Text>
              {leads && <LinkUse link={link} />}
              {rows.map((name) => (
                <LinkSettingRow key={name} name={name} link={link} onSaved={onSaved} />
              ))}
              {leads && isAddress(link.target) && children}
            </div>
          )
        );
      })}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {link.created_by === null ? (
            <Trans>Created on {formatTime(link.created_at)}</Trans>
          ) : (
            <Trans>
              Created on {formatTime(link.created_at)} by {author}
            </Trans>
          )}
        </Text>
        <TakeDown link={link} />
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
    </Stack>
  );
}
