import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconChevronRight, IconCopy, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { accountQuery } from "../auth/account.ts";
import type { Link } from "../base/api.ts";
import { formatNumber, formatTime } from "../base/i18n.ts";
import { lazyPart } from "../base/lazy.ts";
import { serverNow } from "../base/server-clock.ts";
import { LinkMore } from "../shares/link-more.tsx";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { copyAndTell } from "../ui/copy/copy-notice.ts";
import { useCopy } from "../ui/copy/copy-state.ts";
import { Heading } from "../ui/heading.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { ariaKeysOf, hinted, withKeys } from "../ui/keys/shortcuts.ts";
import { MiddleCut } from "../ui/middle-cut.tsx";
import { noteRecent } from "../ui/recent.ts";
import { StateBadge } from "../ui/state-badge.tsx";
import { LinkQr } from "./link-qr.tsx";
import { isAddress, TargetUse } from "./target-use.tsx";
import { usePersonName } from "../ui/person-name.tsx";

const HeldNotice = lazyPart(async () => (await import("./review.tsx")).HeldNotice);

type Props = { link: Link; onEdit(): void; mayChange: boolean };

/** Where the page is, the short URL, what it leads to, its state, and what can be done with it. */
export function LinkHead({ link, onEdit, mayChange }: Props) {
  const { t } = useLingui();
  const { code, domain, title, target, short_url: url } = link;
  useShortcuts({
    edit: onEdit,
    copy: () => void copyAndTell(url),
    visit: () => window.open(url, "_blank", "noopener,noreferrer"),
  });
  usePageRequest("edit", onEdit);
  useEffect(
    () => noteRecent({ kind: "link", id: code, domain, title: title ?? target, url }),
    [code, domain, title, target, url],
  );
  return (
    <Stack gap={4}>
      <Group gap={4} component="nav" aria-label={t`Breadcrumb`} wrap="nowrap" c="dimmed">
        <AnchorLink to="/links" search={{}} size="sm" c="dimmed">
          <Trans>Links</Trans>
        </AnchorLink>
        <IconChevronRight size={14} aria-hidden style={{ flex: "none" }} />
        <Text span size="sm" truncate dir="auto" aria-current="page">
          {link.title ?? link.code}
        </Text>
      </Group>
      <Group justify="space-between" align="start" gap="xs">
        <Address link={link} />
        <Group gap="xs">
          <LinkQr link={link} />
          <Button
            variant="default"
            leftSection={<IconPencil size={16} />}
            {...hinted(t`Edit`, "edit")}
            onClick={onEdit}
          >
            <Trans>Edit</Trans>
          </Button>
          <LinkMore link={link} mayChange={mayChange} />
        </Group>
      </Group>
      <Facts link={link} />
      {link.held !== null && (
        <Suspense fallback={null}>
          <HeldNotice link={link} />
        </Suspense>
      )}
    </Stack>
  );
}

function Address({ link }: { link: Link }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(link.short_url);
  return (
    <div style={{ flex: "1 1 16rem", minWidth: 0 }}>
      <Group gap={6} wrap="nowrap">
        <Heading>{link.short_url.replace(/^https?:\/\//, "")}</Heading>
        <ActionIcon
          variant="subtle"
          color={isCopied ? "green" : "gray"}
          aria-label={isCopied ? t`Copied` : t`Copy ${link.short_url}`}
          title={isCopied ? t`Copied` : withKeys(t`Copy`, "copy")}
          aria-keyshortcuts={ariaKeysOf("copy")}
          onClick={copy}
        >
          {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Group>
      <Group gap={8} wrap="nowrap">
        {isAddress(link.target) ? (
          <Anchor
            href={link.target}
            target="_blank"
            rel="noreferrer noopener"
            size="sm"
            c="dimmed"
            className="cut-middle"
            title={link.target}
          >
            <MiddleCut text={link.target} />
          </Anchor>
        ) : (
          <Text size="sm" c="dimmed">
            <TargetUse target={link.target} />
          </Text>
        )}
        <RulesChip link={link} />
      </Group>
    </div>
  );
}

/** The target is not the only one: leads to the others. */
function RulesChip({ link: { code, domain, rules } }: { link: Link }) {
  const count = rules?.length ?? 0;
  if (count === 0) return null;
  return (
    <AnchorLink
      to="/link/$"
      params={{ _splat: code }}
      search={{ ...(domain !== null && { domain }), tab: "settings" }}
      resetScroll={false}
      underline="never"
      flex="none"
    >
      <Badge variant="light" h={24} style={{ cursor: "inherit" }}>
        <Plural value={count} one="+# rule" other="+# rules" />
      </Badge>
    </AnchorLink>
  );
}

function Facts({ link }: { link: Link }) {
  const { data: account } = useQuery(accountQuery);
  const owner = usePersonName(link.owner ?? "");
  return (
    <Group gap="xs" mih={28} pt={4}>
      <State link={link} />
      {link.dead_since !== null && (
        <StateBadge tone="bad">
          <Trans>Target has not answered since {formatTime(link.dead_since)}</Trans>
        </StateBadge>
      )}
      {link.tags.map((tag) => (
        <Badge key={tag} variant="default" radius="sm" maw={200}>
          {tag}
        </Badge>
      ))}
      {link.max_clicks !== null && (
        <Badge variant="default" radius="sm">
          <Trans>Max. {formatNumber(link.max_clicks)} visitors</Trans>
        </Badge>
      )}
      {link.owner !== null && link.owner !== account?.username && (
        <Badge variant="default" radius="sm" maw={260}>
          <Trans>Owner: {owner}</Trans>
        </Badge>
      )}
      <Text size="sm" c="dimmed">
        <Trans>
          {formatNumber(link.human_clicks)} human clicks, {formatNumber(link.click_count)} with bots
        </Trans>
      </Text>
    </Group>
  );
}

/** What visitors find by its dates. */
function State({ link: { starts_at: starts, expires_at: expires, held } }: { link: Link }) {
  // Said below.
  if (held !== null) return null;
  const now = serverNow();
  if (expires !== null && Date.parse(expires) <= now) {
    return (
      <StateBadge tone="quiet">
        <Trans>Expired on {formatTime(expires)}</Trans>
      </StateBadge>
    );
  }
  if (starts !== null && Date.parse(starts) > now) {
    return (
      <StateBadge tone="warning">
        <Trans>Starts {formatTime(starts)}</Trans>
      </StateBadge>
    );
  }
  return (
    <StateBadge tone="good">
      {expires === null ? <Trans>Active</Trans> : <Trans>Expires {formatTime(expires)}</Trans>}
    </StateBadge>
  );
}
