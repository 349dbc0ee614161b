import { Trans, useLingui } from "@lingui/react/macro";
import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useNavigate, useRouteContext, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { formatDate, formatNumber, formatPercent } from "../base/i18n.ts";
import { lazyOrFailure } from "../base/lazy.ts";
import { Heading } from "../ui/heading.tsx";
import { LoadFailure } from "../ui/load-failure.tsx";
import classes from "./clicks.module.css";
import { HealthLine } from "./health-line.tsx";
import { LinkList, newestLinksQuery, NothingYet } from "./link-lists.tsx";
import { LiveClicks } from "./live/live-clicks.tsx";
import { NewestClicks } from "./live/newest-clicks.tsx";
import { compareOf, type OnReportChange } from "./range.ts";
import { ReportBar } from "./report-bar.tsx";
import { topQuery, totalsQuery, trendQuery } from "./report-queries.ts";
import { sum } from "./chart/series.ts";
import { Sparkline } from "./chart/sparkline.tsx";
import { TrendCard } from "./trend-card.tsx";
import { frameOf } from "./frame.ts";

const FirstRun = lazyOrFailure(async () => (await import("./first-run.tsx")).FirstRun);

const NO_OTHERS: [] = [];

/** Of all links, or of an editor's own. */
export function OverviewPage() {
  const { t } = useLingui();
  const { account } = useRouteContext({ from: "/inside" });
  const isAdmin = account.role === "admin";
  const search = useSearch({ from: "/inside/" });
  const navigate = useNavigate({ from: "/" });
  const frame = { ...frameOf(search, null, "all"), filter: {} };
  const { span, unit } = frame;
  const requested = { span, visitors: frame.visitors, filter: frame.filter };
  const totals = useQuery({ ...totalsQuery, enabled: isAdmin });
  const trend = useQuery(trendQuery(requested, unit, compareOf(search)));
  const top = useQuery(topQuery({ ...requested, span: frame.shown, visitors: "human" }));
  const newest = useQuery(newestLinksQuery);
  const earlier = trend.data?.compared;
  const change: OnReportChange = (next, isMore = false) =>
    void navigate({ search: next, replace: isMore, resetScroll: false });
  const counts = (of: "human_clicks" | "automated_clicks") => ({
    value: trend.data && sum(trend.data[of]),
    before: earlier && sum(earlier[of]),
    course: trend.data?.[of],
  });
  const links = isAdmin ? totals.data?.total_links : newest.data?.pagination?.total;

  if (links === 0) return <Begin isAdmin={isAdmin} />;
  return (
    <Stack p="md" gap="md">
      <Group justify="space-between">
        <Heading>
          <Trans>Overview</Trans>
        </Heading>
        <ReportBar search={search} onChange={change} without={["visitors"]} />
      </Group>
      {isAdmin && <HealthLine />}
      <Failed of={[totals, trend, top, newest]} />
      <SimpleGrid cols={{ base: 2, md: isAdmin ? 4 : 3 }} spacing="sm">
        <Figure label={t`Human clicks`} {...counts("human_clicks")} />
        <Figure label={t`Bot clicks`} {...counts("automated_clicks")} />
        {isAdmin && (
          <Figure label={t`Human clicks of existing links, all time`} value={totals.data?.human_clicks} />
        )}
        <Figure label={t`Links`} value={links} />
      </SimpleGrid>
      <TrendCard
        report={{
          ...frame,
          trend: trend.data,
          isTrendStale: trend.isPlaceholderData,
          earlier,
          others: NO_OTHERS,
        }}
        search={search}
        onChange={change}
      />
      <div className={classes["report"]}>
        <div className={classes["column"]}>
          {isAdmin && <LiveClicks />}
          <div className={classes["last"]}>
            <NewestClicks place={null} frame={frame} isDetailed={undefined} mayWatch={isAdmin} most={12} />
          </div>
        </div>
        <div className={classes["column"]}>
          <LinkList
            title={t`Most clicked links`}
            items={top.data}
            countOf={({ clicks }) => clicks}
            empty={<Trans>No clicks in this range.</Trans>}
          />
          <LinkList
            title={t`Newest links`}
            items={newest.data?.data}
            textOf={({ created_at }) => formatDate(created_at)}
            empty={<NothingYet />}
          />
        </div>
      </div>
    </Stack>
  );
}

/** Before there are links. */
const Begin = ({ isAdmin }: { isAdmin: boolean }) => (
  <Stack p="md" gap="md">
    <Heading>
      <Trans>Overview</Trans>
    </Heading>
    {isAdmin && <HealthLine />}
    <Suspense fallback={null}>
      <FirstRun isAdmin={isAdmin} />
    </Suspense>
  </Stack>
);

function Failed({ of }: { of: readonly Pick<UseQueryResult, "error" | "refetch">[] }) {
  const failed = of.filter(({ error }) => error !== null);
  const error = failed[0]?.error;
  if (!error) return null;
  return <LoadFailure error={error} onRetry={() => failed.forEach(({ refetch }) => void refetch())} />;
}

type FigureProps = {
  label: string;
  value: number | undefined;
  before?: number | undefined;
  /** By day or hour. */
  course?: readonly number[] | undefined;
};

function Figure({ label, value, before, course = [] }: FigureProps) {
  const { t } = useLingui();
  const base = formatNumber(before ?? 0);
  const change = value === undefined || !before ? null : formatPercent(value / before - 1);
  return (
    <Card withBorder p="md">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={33} width={80} />
      ) : (
        <Group gap="xs" align="baseline" wrap="nowrap">
          <Text size="xl" fw={700} className={classes["count"]!}>
            {formatNumber(value)}
          </Text>
          {change !== null && (
            <Text size="xs" c="dimmed" title={t`Previous period: ${base}`}>
              {change}
            </Text>
          )}
          <Sparkline values={course} />
        </Group>
      )}
    </Card>
  );
}
