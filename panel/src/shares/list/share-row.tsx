import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Anchor, Box, Group, Table, Text } from "@mantine/core";
import {
  IconCheck,
  IconCopy,
  IconFile,
  IconFiles,
  IconFolder,
  IconFolderPlus,
  IconInbox,
  IconLock,
} from "@tabler/icons-react";
import type { Share } from "../../base/api.ts";
import { formatDate, formatNumber, formatTime } from "../../base/i18n.ts";
import { inTree } from "../../ui/tree-names.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { CodeName } from "../../ui/code-name.tsx";
import type { RowPlace } from "../../ui/long/rows-in-sight.tsx";
import { isPlainClick, openRowMenu } from "../../ui/lists/row-clicks.ts";
import { useCopy } from "../../ui/copy/copy-state.ts";
import { useShareName } from "../share-name.ts";
import { ShareMenu, type ShareAction } from "./share-menu.tsx";
import { ShareEnd } from "./share-end.tsx";
import { ShareStateBadge } from "./share-state.tsx";
import { ShareUsage } from "./share-use.tsx";
import classes from "../shares.module.css";
import { PersonName } from "../../ui/person-name.tsx";

const ICONS = { file: IconFile, folder: IconFolder, drop: IconInbox, items: IconFiles, url: IconFile };

type Props = {
  share: Share;
  place: RowPlace;
  isOwn: boolean;
  mayEnd: boolean;
  team?: string | undefined;
  onChoose(action: ShareAction, share: Share): void;
};

export function ShareRow({ share, place, isOwn, mayEnd, team, onChoose }: Props) {
  const { t } = useLingui();
  const { code, short_url: address, expires_at: expires } = share;
  const { isCopied, copy } = useCopy(address);
  const kinds = { file: t`File`, folder: t`Folder`, drop: t`Drop box`, items: t`Several items`, url: t`URL` };
  const Icon = ICONS[share.kind];
  const name = useShareName()(share);
  const choose = (action: ShareAction) => onChoose(action, share);
  return (
    <Table.Tr
      {...place}
      data-opens={isOwn || undefined}
      onClick={(event) => isOwn && isPlainClick(event) && choose("open")}
      onContextMenu={(event) => openRowMenu(event.currentTarget, event) && event.preventDefault()}
    >
      <Table.Th scope="row">
        <Group gap={10} wrap="nowrap" align="start">
          <Icon
            size={18}
            stroke={1.5}
            className={classes["kind"]}
            role="img"
            aria-label={kinds[share.kind]}
          />
          <div className={classes["what"]}>
            <Group gap={6} wrap="nowrap">
              {isOwn ? (
                <AnchorLink
                  to="/share/$"
                  params={{ _splat: code }}
                  search={inTree(team)}
                  c="inherit"
                  className={classes["name"]!}
                  title={share.entry?.name}
                >
                  <bdi>{name}</bdi>
                </AnchorLink>
              ) : (
                <div className={classes["name"]} title={share.entry?.name}>
                  <bdi>{name}</bdi>
                </div>
              )}
              {share.password !== null && (
                <IconLock size={14} className={classes["soft"]} role="img" aria-label={t`Has a password`} />
              )}
              {share.add && (
                <IconFolderPlus
                  size={14}
                  className={classes["soft"]}
                  role="img"
                  aria-label={t`Visitors can add files`}
                />
              )}
            </Group>
            <Group gap={2} wrap="nowrap">
              <Anchor
                href={address}
                target="_blank"
                rel="noreferrer noopener"
                size="xs"
                lh="24px"
                c="dimmed"
                className={classes["cut"]}
                title={address}
              >
                <CodeName code={`/${code}`} domain={share.domain} />
              </Anchor>
              <ActionIcon
                variant="subtle"
                size={24}
                color={isCopied ? "green" : "gray"}
                aria-label={isCopied ? t`Copied` : t`Copy ${address}`}
                onClick={copy}
              >
                {isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
              </ActionIcon>
              <Box hiddenFrom="sm" ms={6} flex="none">
                <ShareStateBadge share={share} />
              </Box>
            </Group>
            <ForWhom share={share} />
            <Use share={share} />
          </div>
        </Group>
      </Table.Th>
      <Table.Td visibleFrom="sm">
        <ShareStateBadge share={share} />
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Text size="sm">
          <ShareUsage share={share} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="md" ta="end" className={classes["number"]}>
        <Text size="sm" title={t`${formatNumber(share.click_count)} with bots`}>
          {formatNumber(share.human_clicks)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Text
          size="sm"
          title={expires === null ? undefined : formatTime(expires)}
          className={classes["number"]}
        >
          {expires === null ? t`Never` : formatDate(expires)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm" c="dimmed" title={formatTime(share.created_at)} className={classes["number"]}>
          {formatDate(share.created_at)}
        </Text>
      </Table.Td>
      <Table.Td className={classes["actions"]}>
        <ShareMenu share={share} isOwn={isOwn} mayEnd={mayEnd} onChoose={choose} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Its recipients, and in the list of all its owner. */
const ForWhom = ({ share: { recipients, owner } }: { share: Share }) => (
  <>
    {recipients.length > 0 && (
      <Text size="xs" c="dimmed" className={classes["cut"]} title={recipients.join(", ")}>
        {recipients.join(", ")}
      </Text>
    )}
    {owner !== undefined && (
      <Text size="xs" c="dimmed" className={classes["cut"]}>
        <PersonName of={owner.username ?? ""} />
      </Text>
    )}
  </>
);

/** Where there is no room for a column of it. */
const Use = ({ share }: { share: Share }) => (
  <Text size="xs" c="dimmed" hiddenFrom="md">
    <ShareUsage share={share} isInLine />
    {share.expires_at !== null && (
      <Text span size="xs" hiddenFrom="sm">
        {share.kind === "drop" ? <br /> : " · "}
        <span className={classes["number"]}>
          <ShareEnd expires={share.expires_at} />
        </span>
      </Text>
    )}
  </Text>
);
