import { Trans, useLingui } from "@lingui/react/macro";
import { Anchor, Badge, Button, Group, Text } from "@mantine/core";
import { IconDownload, IconEye, IconFileZip, IconUpload } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Share } from "../../base/api.ts";
import { formatTime, joinNodes } from "../../base/i18n.ts";
import { downloadAddress } from "../../files/file-queries.ts";
import { useIsPhone } from "../../ui/is-phone.ts";
import { LoadedRows } from "../../ui/long/loaded-rows.tsx";
import { LoadOn } from "../../ui/long/load-on.tsx";
import { receivedQuery, visitsQuery } from "../share-queries.ts";
import classes from "../shares.module.css";
import { type TimelineEntry, timelineOf } from "./timeline.ts";

const ICONS = { open: IconEye, download: IconDownload, archive: IconFileZip, send: IconUpload };

/** The entries that a phone shows at first, where fields follow. */
const FEW = 5;

/** Who opened, downloaded or sent what. */
export function ShareTimeline({ share: { code, drop, folder_id: folder } }: { share: Share }) {
  const isPhone = useIsPhone();
  const [isWhole, setIsWhole] = useState(false);
  const most = isPhone && !isWhole ? FEW : Number.POSITIVE_INFINITY;
  const takesFiles = drop !== null && folder !== null;
  const visits = useInfiniteQuery(visitsQuery(code));
  const received = useInfiniteQuery({ ...receivedQuery(folder ?? 0, code), enabled: takesFiles });
  const seen = visits.data?.pages.flatMap((page) => page.data);
  const sent = received.data?.pages.flatMap((page) => page.data);
  const lists = takesFiles ? [visits, received] : [visits];
  // Older entries of one list may follow those of the other.
  const ends = [
    ...(visits.hasNextPage ? [seen?.at(-1)?.at] : []),
    ...(received.hasNextPage ? [sent?.at(-1)?.at] : []),
  ];
  const horizon = ends.reduce<string>((latest, at = "") => (at > latest ? at : latest), "");
  const isLoaded = seen !== undefined && (!takesFiles || sent !== undefined);
  const next = lists.find(({ hasNextPage }) => hasNextPage) ?? visits;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        <Trans context="of a share">What happened</Trans>
      </Text>
      <LoadedRows
        rows={isLoaded ? timelineOf(seen, sent ?? [], horizon) : undefined}
        error={visits.error ?? received.error}
        none={
          takesFiles ? (
            <Trans>Nothing has come yet. It shows here as it comes.</Trans>
          ) : (
            <Trans>Nobody has opened it yet. Visits and downloads show here.</Trans>
          )
        }
      >
        {(entries) => (
          <>
            <ul className={classes["received"]} aria-live="polite">
              {entries.slice(0, most).map((entry) => (
                <Row key={`${entry.at} ${entry.action} ${entry.names[0]?.id} ${entry.who}`} entry={entry} />
              ))}
            </ul>
            {entries.length > most ? (
              <Button size="compact-sm" variant="subtle" onClick={() => setIsWhole(true)}>
                <Trans>Show more</Trans>
              </Button>
            ) : (
              <LoadOn
                list={{
                  ...next,
                  fetchNextPage: () =>
                    Promise.all(lists.filter((list) => list.hasNextPage).map((list) => list.fetchNextPage())),
                }}
              />
            )}
          </>
        )}
      </LoadedRows>
    </div>
  );
}

function Row({ entry }: { entry: TimelineEntry }) {
  const { t } = useLingui();
  const { action, browser, os, at, who, isBot } = entry;
  const Icon = ICONS[action];
  const device = browser !== null && os !== null ? t`${browser} on ${os}` : (browser ?? os);
  return (
    <li>
      <Group gap="xs" wrap="nowrap" align="start">
        <Icon size={16} aria-hidden className={classes["soft"]} style={{ marginTop: 3 }} />
        <div style={{ minWidth: 0 }}>
          <Text size="sm">
            <Sentence entry={entry} />
          </Text>
          <Text size="xs" c="dimmed">
            {formatTime(at)}
            {device !== null && ` · ${device}`}
            {isBot && who !== null && (
              <Badge component="span" size="sm" variant="default" ml={8}>
                <Trans>Bot</Trans>
              </Badge>
            )}
          </Text>
        </div>
      </Group>
    </li>
  );
}

function Sentence({ entry }: { entry: TimelineEntry }) {
  const { action, names } = entry;
  const who = <Who entry={entry} />;
  const what = <Names names={names} />;
  if (names.length === 0) return <Trans>{who} opened the page</Trans>;
  if (action === "open")
    return (
      <Trans>
        {who} opened {what}
      </Trans>
    );
  if (action === "download")
    return (
      <Trans>
        {who} downloaded {what}
      </Trans>
    );
  if (action === "archive")
    return (
      <Trans>
        {who} downloaded all of {what}
      </Trans>
    );
  return (
    <Trans>
      {who} sent {what}
    </Trans>
  );
}

const Who = ({ entry: { who: name, isBot } }: { entry: TimelineEntry }) => (
  <Text span inherit fw={600}>
    {name !== null ? <bdi>{name}</bdi> : isBot ? <Trans>A bot</Trans> : <Trans>Somebody</Trans>}
  </Text>
);

const Names = ({ names }: Pick<TimelineEntry, "names">) =>
  joinNodes(
    names.map(({ name, id }) =>
      id === null ? (
        <bdi key={name}>{name}</bdi>
      ) : (
        <Anchor key={id} href={downloadAddress({ kind: "file", id })} inherit>
          <bdi>{name}</bdi>
        </Anchor>
      ),
    ),
  );
