import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Badge, Card, Group, Skeleton, Text } from "@mantine/core";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { NewestClick } from "../../base/api.ts";
import { formatClock } from "../../base/i18n.ts";
import { SettingLink, SettingWaits } from "../../config/setting-link.tsx";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { CodeName } from "../../ui/code-name.tsx";
import classes from "../clicks.module.css";
import { Parts } from "../../ui/lists/parts.tsx";
import { ArrivalNews } from "./arrival-news.tsx";
import { type LiveClick, type LiveView, useLive, useSeconds } from "../../base/live.ts";
import { LiveBadge } from "./live-badge.tsx";
import { agentName, deviceName, placeName, referrerName } from "../names.ts";
import { newestQuery, type Place } from "../report-queries.ts";
import type { Frame } from "../frame.ts";

type Props = {
  place: Place | null;
  frame: Frame;
  isDetailed: boolean | undefined;
  /** Whether the account may watch the live view. Others poll. */
  mayWatch: boolean;
  most?: number;
};

const DETAILS = "analytics.enable_detailed_logging";
const MOST = 20;
const ASK_AGAIN_MS = 5_000;
/** From the arrival of a click until it is counted; also the shortest interval of requests. */
const COUNTED_MS = 6_000;
/** After the last click, in case the server was slow to count. */
const LATE_MS = 25_000;

/** Clicks of the shown time, newest first; those that arrive come on top. */
export function NewestClicks({ place, frame, isDetailed, mayWatch, most = MOST }: Props) {
  const { t } = useLingui();
  const { shown, visitors, isOpen, filter } = frame;
  // Clicks that arrive say little, so a filter by more asks for them.
  const isAll = Object.keys(filter).every((name) => name === "code" || name === "domain");
  const live = useLive(mayWatch && isOpen && isAll && (place !== null || filter.code === undefined));
  const { data } = useQuery({
    ...newestQuery({ span: shown, visitors, filter }),
    ...(isOpen && live === null && { refetchInterval: ASK_AGAIN_MS }),
  });
  const arrived = useArrived(place, frame, live);
  useNews(live === null && isOpen ? data?.data[0]?.id : undefined);
  const isOff = data?.details === false;
  // The report says it once for all lists.
  if (isDetailed === false && arrived.length === 0 && (data?.data.length ?? 0) === 0) return null;
  const details = <SettingLink settingKey={DETAILS} />;
  const rate = place === null ? (live?.second?.human_clicks_per_second ?? 0) : 0;
  const known = new Set(data?.data.map(keyOf));
  const rows = [...(isOpen ? arrived.filter((click) => !known.has(keyOf(click))) : []), ...(data?.data ?? [])]
    .sort((a, b) => (a.clicked_at < b.clicked_at ? 1 : -1))
    .slice(0, most);
  return (
    <Card withBorder p="md" component="section" aria-label={t`Newest clicks`}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600} size="sm">
          <Trans>Newest clicks</Trans>
        </Text>
        {isOpen && (
          <Group gap="xs">
            {rate > 0 && (
              <Text size="xs" c="dimmed" className={classes["count"]!}>
                <Plural value={rate} one="# human click per second" other="# human clicks per second" />
              </Text>
            )}
            <LiveBadge state={live?.state ?? "live"} />
          </Group>
        )}
      </Group>
      {data === undefined && <Skeleton height={200} />}
      {data !== undefined && rows.length === 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {isOff ? (
            <>
              <Trans>
                Single clicks are not recorded, because “{details}” is off. Those that arrive now show here.
              </Trans>
              <SettingWaits settingKey={DETAILS} value="true" />
            </>
          ) : (
            <Trans>No clicks in this range.</Trans>
          )}
        </Text>
      )}
      <ArrivalNews arrived={arrived} />
      <ul className={`${classes["shares"]} ${classes["clicks"]}`} data-named={place === null || undefined}>
        {rows.map((click) => (
          <ClickRow key={keyOf(click)} click={click} isNamed={place === null} />
        ))}
      </ul>
    </Card>
  );
}

/** Reports, and the head of the page, which has the same clicks. */
function countAgain(queries: QueryClient): void {
  for (const queryKey of [["clicks"], ["links", "one"], ["shares", "one"]])
    void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Asks for the numbers again when the newest click that polling finds is a later one. */
function useNews(newest: number | undefined): void {
  const queries = useQueryClient();
  const before = useRef(newest);
  useEffect(() => {
    const isNews = newest !== undefined && newest > (before.current ?? newest);
    before.current = newest ?? before.current;
    if (isNews) countAgain(queries);
  }, [newest, queries]);
}

const keyOf = ({ clicked_at, code, domain }: Pick<NewestClick, "clicked_at" | "code" | "domain">): string =>
  `${clicked_at} ${domain ?? ""}/${code}`;

/** Clicks that came while the page was open, as rows with fewer details. */
function useArrived(place: Place | null, { visitors, isOpen }: Frame, live: LiveView | null): NewestClick[] {
  const queries = useQueryClient();
  const [arrived, setArrived] = useState<NewestClick[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const late = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const wasLive = useRef(false);
  const isOf = ({ code, domain, automated }: LiveClick): boolean =>
    (place === null || (code === place.code && domain === (place.domain ?? null))) &&
    (visitors === "all" || (visitors === "automated") === automated);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      clearTimeout(late.current);
    },
    [],
  );
  useEffect(() => setArrived([]), [place?.code, place?.domain, visitors]);
  const refresh = () => countAgain(queries);
  function refreshLate(): void {
    clearTimeout(late.current);
    late.current = setTimeout(refresh, LATE_MS);
  }
  useEffect(() => {
    if (live?.state !== "live") return;
    // Clicks may have come while the stream was away.
    if (wasLive.current) {
      refresh();
      refreshLate();
    }
    wasLive.current = true;
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each time that it is live again
  }, [live?.state]);
  useSeconds(live, ({ latest }) => {
    const own = latest.filter(isOf).toReversed();
    if (own.length === 0 || !isOpen) return;
    setArrived((before) => [...own.map(rowOf), ...before].slice(0, MOST));
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      refresh();
    }, COUNTED_MS);
    refreshLate();
  });
  return arrived;
}

let lastId = 0;

const rowOf = ({ source, ...click }: LiveClick): NewestClick => ({
  ...click,
  id: --lastId,
  referrer: source === null ? "" : source === "direct" ? "(direct)" : source.replace(/^ref:/, ""),
  country: null,
  city: null,
  browser: null,
  operating_system: null,
  device: null,
});

export function ClickRow({ click, isNamed }: { click: NewestClick; isNamed: boolean }) {
  const { code, domain, clicked_at, referrer, country, city, browser, operating_system, device } = click;
  const agent = [browser, operating_system].filter((name) => name !== null).map(agentName);
  const facts = [
    referrer === "" ? "" : referrerName(referrer),
    placeName(country, city),
    ...agent,
    device === null || click.automated ? "" : deviceName(device),
  ].filter(Boolean);
  return (
    <li className={classes["click"]} data-new={click.id < 0 || undefined}>
      <time dateTime={clicked_at} className={classes["when"]}>
        {formatClock(clicked_at)}
      </time>
      {isNamed && (
        <AnchorLink
          to="/link/$"
          params={{ _splat: code }}
          search={domain === null ? {} : { domain }}
          size="sm"
          title={code}
          className={classes["clickCode"]!}
        >
          <CodeName code={code} domain={domain} />
        </AnchorLink>
      )}
      <span className={classes["what"]}>
        <span className={classes["facts"]} dir="auto" title={facts.join(" · ")}>
          <Parts>{facts}</Parts>
        </span>
        {click.automated && (
          <Badge size="sm" variant="default" flex="none">
            <Trans>Bot</Trans>
          </Badge>
        )}
      </span>
    </li>
  );
}
