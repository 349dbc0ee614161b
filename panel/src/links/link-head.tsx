import { Trans, useLingui } from "@lingui/react/macro";
import { Badge, Button, Group, Stack, Text, type BadgeProps } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, type ComponentProps } from "react";
import { accountQuery } from "../auth/account.ts";
import type { Link } from "../base/api.ts";
import { formatNumber, formatTime } from "../base/i18n.ts";
import { lazyPart } from "../base/lazy.ts";
import { serverNow } from "../base/server-clock.ts";
import { LinkMore } from "../shares/link-more.tsx";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { copyAndTell } from "../ui/copy/copy-notice.ts";
import { useCopy } from "../ui/copy/copy-state.ts";
import { Heading } from "../ui/heading.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { Parts } from "../ui/lists/parts.tsx";
import { PagePath } from "../ui/lists/page-path.tsx";
import { ariaKeysOf, withKeys } from "../ui/keys/shortcuts.ts";
import { noteRecent } from "../ui/recent.ts";
import { StateBadge } from "../ui/state-badge.tsx";
import { LinkQr } from "./link-qr.tsx";
import { usePersonName } from "../ui/person-name.tsx";
import { createLink } from "@tanstack/react-router";

const HeldNotice = lazyPart(async () => (await import("./review.tsx")).HeldNotice);

type Props = { link: Link; onEdit(): void; mayChange: boolean };

/** Where the page is, the title, the short URL, the state of the link, and what can be done with it. */
export function LinkHead({ link, onEdit, mayChange }: Props) {
  const { t } = useLingui();
  const { code, domain, title, target, short_url: url } = link;
  const { isCopied, copy } = useCopy(url);
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
    <>
      <PagePath to="/links" search={{}} name={title ?? code}>
        <Trans>Links</Trans>
      </PagePath>
      <Stack gap={4}>
        <Group justify="space-between" align="start" gap="xs">
          <div style={{ flex: "1 1 16rem", minWidth: 0 }}>
            <Heading>{title ?? shortened(url)}</Heading>
            {title !== null && (
              <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                {shortened(url)}
              </Text>
            )}
          </div>
          <Group gap="xs">
            <Button
              leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              miw={110}
              aria-label={isCopied ? t`Copied` : t`Copy ${link.short_url}`}
              title={isCopied ? t`Copied` : withKeys(t`Copy`, "copy")}
              aria-keyshortcuts={ariaKeysOf("copy")}
              onClick={copy}
            >
              {isCopied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
            </Button>
            <LinkQr link={link} />
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
    </>
  );
}

const shortened = (url: string): string => url.replace(/^https?:\/\//, "");

const TagLink = createLink((props: BadgeProps & Omit<ComponentProps<"a">, keyof BadgeProps>) => (
  <Badge component="a" variant="default" radius="sm" maw={200} style={{ cursor: "pointer" }} {...props} />
));

function Facts({ link }: { link: Link }) {
  const { t } = useLingui();
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
        <TagLink key={tag} to="/links" search={{ tag: [tag] }} aria-label={t`Links with the tag ${tag}`}>
          {tag}
        </TagLink>
      ))}
      <Text size="sm" c="dimmed">
        <Parts>
          {link.owner !== null && link.owner !== account?.username && <Trans>Owner: {owner}</Trans>}
          <span title={t`Since the link was created`}>
            <Trans>
              {formatNumber(link.human_clicks)} human clicks,{" "}
              {formatNumber(link.click_count - link.human_clicks)} from bots
            </Trans>
          </span>
        </Parts>
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
