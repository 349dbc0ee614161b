import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Badge, Group, Menu, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy, IconDots, IconExternalLink, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { Link } from "../app/api.ts";
import { formatDate, formatNumber, formatTime } from "../app/i18n.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { useUndoable } from "../ui/undo.tsx";
import { deleteLink, refreshLinks, restoreLink } from "./link-queries.ts";
import classes from "./links.module.css";

type Props = { link: Link; place: { start: number; size: number }; onEdit(link: Link): void };

export function LinkRow({ link, place, onEdit }: Props) {
  const { t } = useLingui();
  const clipboard = useClipboard({ timeout: 1500 });
  const isExpired = link.expires_at !== null && new Date(link.expires_at) <= new Date();
  return (
    <div
      role="row"
      className={classes["row"]}
      style={{ height: place.size, transform: `translateY(${place.start}px)` }}
    >
      <Group role="cell" className={classes["code"]} gap={4} wrap="nowrap">
        <AnchorLink
          to="/link/$"
          params={{ _splat: link.code }}
          search={link.domain === null ? {} : { domain: link.domain }}
          size="sm"
          fw={600}
          className={classes["cut"]}
          title={link.code}
        >
          {link.domain === null ? link.code : `${link.domain}/${link.code}`}
        </AnchorLink>
        <ActionIcon
          variant="subtle"
          color={clipboard.copied ? "green" : "gray"}
          size="sm"
          aria-label={clipboard.copied ? t`Copied` : t`Copy ${link.short_url}`}
          onClick={() => clipboard.copy(link.short_url)}
        >
          {clipboard.copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
        {isExpired && (
          <Badge size="xs" color="gray" variant="light">
            <Trans>Expired</Trans>
          </Badge>
        )}
      </Group>
      <div role="cell" className={`${classes["cut"]} ${classes["target"]}`} title={link.target}>
        {link.title !== null && (
          <Text size="sm" span mr={6} dir="auto">
            {link.title}
          </Text>
        )}
        <Text size="sm" c="dimmed" span>
          {link.target.replace(/^https?:\/\//, "")}
        </Text>
      </div>
      <Group role="cell" className={classes["tags"]} gap={4} wrap="nowrap">
        {link.tags.slice(0, 3).map((tag) => (
          <Badge key={tag} size="sm" variant="default" tt="none" maw={110} title={tag}>
            {tag}
          </Badge>
        ))}
      </Group>
      <div role="cell" className={`${classes["number"]} ${classes["clicks"]}`}>
        <Text size="sm" title={t`${formatNumber(link.human_clicks)} of people`}>
          {formatNumber(link.click_count)}
        </Text>
      </div>
      <div role="cell" className={classes["date"]}>
        <Text size="sm" c="dimmed" title={formatTime(link.created_at)}>
          {formatDate(link.created_at)}
        </Text>
      </div>
      <div role="cell" className={classes["actions"]}>
        <LinkMenu link={link} onEdit={onEdit} />
      </div>
    </div>
  );
}

function LinkMenu({ link, onEdit }: { link: Link; onEdit(link: Link): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const remove = useUndoable({
    run: () => deleteLink(link),
    undo: () => restoreLink(link),
    refresh: () => refreshLinks(queries),
    message: <Trans>{link.code} is deleted.</Trans>,
  });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t`Actions for ${link.code}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onEdit(link)}>
          <Trans>Edit</Trans>
        </Menu.Item>
        <Menu.Item
          component="a"
          href={link.short_url}
          target="_blank"
          rel="noreferrer noopener"
          leftSection={<IconExternalLink size={16} />}
        >
          <Trans>Open</Trans>
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove.mutate()}>
          <Trans>Delete</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
