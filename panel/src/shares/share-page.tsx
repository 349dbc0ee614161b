import { Trans, useLingui } from "@lingui/react/macro";
import { Anchor, Button, Group, Menu, Skeleton, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy, IconDots, IconExternalLink, IconHistory, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { accountQuery } from "../auth/account.ts";
import { ApiError, type Share } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { useDropEvents } from "../files/drop-events.ts";
import { copyAndTell } from "../ui/copy/copy-notice.ts";
import { useCopy } from "../ui/copy/copy-state.ts";
import { Missing } from "../ui/failure.tsx";
import { Heading } from "../ui/heading.tsx";
import { useIsPhone } from "../ui/is-phone.ts";
import { shownKeys } from "../ui/keys/keys.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { LoadFailure } from "../ui/load-failure.tsx";
import { noteRecent } from "../ui/recent.ts";
import { EndShare } from "./end-share.tsx";
import { ShareForm } from "./form/share-form.tsx";
import { ShareEnd } from "./list/share-end.tsx";
import { ShareStateBadge } from "./list/share-state.tsx";
import { ShareContent } from "./page/share-content.tsx";
import { ShareHappened } from "./page/share-happened.tsx";
import { useShareName } from "./share-name.ts";
import { PagePath } from "../ui/lists/page-path.tsx";
import { refreshShares, shareQuery } from "./share-queries.ts";
import { ShareQr } from "./share-qr.tsx";

/** A share or drop box: what visitors find, for whom and how long, and what happened. */
export function SharePage() {
  const { _splat: code = "" } = useParams({ from: "/inside/share/$" });
  const { made, use, team } = useSearch({ from: "/inside/share/$" });
  const isPhone = useIsPhone();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const { data: share, error, refetch } = useQuery(shareQuery(code));
  const [ended, setEnded] = useState<Share | null>(null);
  useDropEvents(
    (file) => file.code === code && void refreshShares(queries),
    () => void refreshShares(queries),
  );
  const nameOf = useShareName();
  const name = share && nameOf(share);
  const url = share?.short_url;
  useEffect(() => {
    if (name !== undefined && url !== undefined)
      noteRecent({ kind: "share", id: code, domain: null, title: name, url });
  }, [code, name, url]);
  useShortcuts({
    copy: () => url !== undefined && void copyAndTell(url),
    visit: () => url !== undefined && window.open(url, "_blank", "noopener,noreferrer"),
    delete: () => share !== undefined && setEnded(share),
  });
  if (error instanceof ApiError && error.status === 404) return <Missing sentence={error.message} />;
  if (error !== null && share === undefined)
    return <LoadFailure error={error} onRetry={() => void refetch()} m="md" />;
  if (share === undefined || name === undefined) return <Skeleton height={360} m="md" w="auto" />;
  return (
    <Stack p="md" gap="md">
      <PagePath to="/shares" search={{}} name={name}>
        <Trans>Shares</Trans>
      </PagePath>
      <Head share={share} name={name} isMade={made === true} onEnd={() => setEnded(share)} />
      <ShareForm
        // What was saved is what it begins with.
        key={`${code} ${share.updated_at}`}
        subject={{ form: "edit", share }}
        team={team}
        showsUse={use === true}
        above={
          <>
            <ShareContent share={share} />
            {isPhone && <ShareHappened share={share} />}
          </>
        }
        aside={() => (
          <Stack gap="xl">
            {!isPhone && <ShareHappened share={share} />}
            <ShareQr share={share} />
          </Stack>
        )}
        onClose={() => {}}
        onSaved={async (saved) => {
          if (saved.use === "url")
            await navigate({ to: "/link/$", params: { _splat: code }, search: {}, replace: true });
        }}
      />
      <EndShare
        share={ended}
        account={account?.id ?? share.owner?.id ?? 0}
        onClose={() => setEnded(null)}
        onEnded={() => navigate({ to: "/shares", search: {}, replace: true })}
      />
    </Stack>
  );
}

type HeadProps = { share: Share; name: string; isMade: boolean; onEnd(): void };

function Head({ share, name, isMade, onEnd }: HeadProps) {
  const { t } = useLingui();
  const { short_url: url, kind, code } = share;
  const { isCopied, copy } = useCopy(url);
  return (
    <Stack gap={4}>
      <Group justify="space-between" align="start" gap="xs">
        <Heading>{name}</Heading>
        <Group gap="xs">
          <Button
            color={isCopied ? "green.8" : "brand"}
            leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            {...hinted(t`Copy`, "copy")}
            autoFocus={isMade}
            onClick={copy}
          >
            {isCopied ? t`Copied` : t`Copy`}
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" px={8} aria-label={t`More`}>
                <IconDots size={16} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                component="a"
                href={url}
                target="_blank"
                rel="noreferrer noopener"
                leftSection={<IconExternalLink size={16} />}
                {...shownKeys("visit")}
              >
                <Trans>Open</Trans>
              </Menu.Item>
              <HistoryItem code={code} />
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconTrash size={16} />}
                {...shownKeys("delete")}
                onClick={onEnd}
              >
                {kind === "drop" ? <Trans>Close the drop box</Trans> : <Trans>End the share</Trans>}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      <Group gap="sm">
        <Anchor
          href={url}
          target="_blank"
          rel="noreferrer noopener"
          size="sm"
          style={{ overflowWrap: "anywhere" }}
        >
          {url.replace(/^https?:\/\//, "")}
        </Anchor>
        <ShareStateBadge share={share} />
        {share.expires_at !== null && (
          <Text size="sm" c="dimmed" title={formatTime(share.expires_at)}>
            <ShareEnd expires={share.expires_at} />
          </Text>
        )}
      </Group>
      <Text size="sm" {...(isMade && { role: "status" })}>
        <WhoCan share={share} />
      </Text>
    </Stack>
  );
}

function WhoCan({ share: { kind, verify, password } }: { share: Share }) {
  if (verify) return <Trans>Only the recipients can open it, with a code from a mail.</Trans>;
  if (kind === "drop") {
    return password === null ? (
      <Trans>Whoever has this short URL can put files into the folder.</Trans>
    ) : (
      <Trans>Whoever has this short URL and the password can put files into the folder.</Trans>
    );
  }
  return password === null ? (
    <Trans>Whoever has this short URL can open it.</Trans>
  ) : (
    <Trans>Whoever has this short URL and the password can open it.</Trans>
  );
}

/** The page of its link has sites, places and the history, for those who see links. */
function HistoryItem({ code }: { code: string }) {
  const navigate = useNavigate();
  const { data: account } = useQuery(accountQuery);
  if (account?.role === "user") return null;
  return (
    <Menu.Item
      leftSection={<IconHistory size={16} />}
      onClick={() => void navigate({ to: "/link/$", params: { _splat: code }, search: { tab: "history" } })}
    >
      <Trans>Clicks and history</Trans>
    </Menu.Item>
  );
}
