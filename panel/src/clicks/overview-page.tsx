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
import { firstLinksQuery, LinkList, NothingYet } from "./link-lists.tsx";
import { LiveClicks } from "./live-clicks.tsx";
import { NewestClicks } from "./newest-clicks.tsx";
import { earlierOf, type OnReportChange } from "./range.ts";
import { ReportControls } from "./report-controls.tsx";
import { topQuery, totalsQuery, trendQuery } from "./report-queries.ts";
import { sum } from "./chart/series.ts";
import { TrendCard } from "./trend-card.tsx";
import { frameOf } from "./frame.ts";

export function OverviewPage() {
  const { account } = useRouteContext({ from: "/inside" });
  return account.role === "admin" ? <Overview /> : <OwnOverview />;
}

const FirstRun = lazyOrFailure(async () => (await import("./first-run.tsx")).FirstRun);

const NO_OTHERS: [] = [];

function Overview() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/" });
  const navigate = useNavigate({ from: "/" });
  const frame = frameOf(search, "all");
  const { span, unit, visitors } = frame;
  const earlierSpan = earlierOf(search, span);
  const totals = useQuery(totalsQuery);
  const trend = useQuery(trendQuery(null, { span, visitors }, unit));
  const before = useQuery({
    ...trendQuery(null, { span: earlierSpan ?? span, visitors }, unit),
    enabled: earlierSpan !== undefined,
  });
  const top = useQuery(topQuery({ span: frame.shown, visitors: "human" }));
  const newest = useQuery(firstLinksQuery("created_at"));
  const earlier = earlierSpan && before.data;
  const change: OnReportChange = (next, isMore = false) =>
    void navigate({ search: next, replace: isMore, resetScroll: false });
  const counts = (of: "human_clicks" | "automated_clicks") => ({
    value: trend.data && sum(trend.data[of]),
    before: earlier && sum(earlier[of]),
  });

  if (totals.data?.total_links === 0) return <Begin isAdmin />;
  return (
    <Stack p="md" gap="md">
      <Group justify="space-between">
        <Heading>
          <Trans>Overview</Trans>
        </Heading>
        <ReportControls search={search} onChange={change} without={["visitors"]} />
      </Group>
      <HealthLine />
      <Failed of={[totals, trend, top, newest]} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure label={t`Human clicks`} {...counts("human_clicks")} />
        <Figure label={t`Bot clicks`} {...counts("automated_clicks")} />
        <Figure label={t`Clicks of existing links`} value={totals.data?.total_clicks} />
        <Figure label={t`Links`} value={totals.data?.total_links} />
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
          <LiveClicks />
          <div className={classes["last"]}>
            <NewestClicks place={null} frame={frame} isDetailed={undefined} mayWatch most={12} />
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

/** Of the account's own links. */
function OwnOverview() {
  const { t } = useLingui();
  const top = useQuery(firstLinksQuery("click_count"));
  const newest = useQuery(firstLinksQuery("created_at"));
  if (newest.data?.pagination?.total === 0) return <Begin isAdmin={false} />;
  return (
    <Stack p="md" gap="md">
      <Heading>
        <Trans>Overview</Trans>
      </Heading>
      <Failed of={[top, newest]} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure label={t`Links`} value={newest.data?.pagination?.total} />
      </SimpleGrid>
      <div className={classes["grid"]}>
        <LinkList
          title={t`Most clicked links`}
          items={top.data?.data}
          countOf={({ human_clicks }) => human_clicks}
          empty={<NothingYet />}
        />
        <LinkList
          title={t`Newest links`}
          items={newest.data?.data}
          textOf={({ created_at }) => formatDate(created_at)}
          empty={<Trans>Make the first one on the page of links.</Trans>}
        />
      </div>
    </Stack>
  );
}

function Failed({ of }: { of: readonly Pick<UseQueryResult, "error" | "refetch">[] }) {
  const failed = of.filter(({ error }) => error !== null);
  const error = failed[0]?.error;
  if (!error) return null;
  return <LoadFailure error={error} onRetry={() => failed.forEach(({ refetch }) => void refetch())} />;
}

type FigureProps = { label: string; value: number | undefined; before?: number | undefined };

function Figure({ label, value, before }: FigureProps) {
  const change = value === undefined || !before ? null : formatPercent(value / before - 1);
  return (
    <Card withBorder p="md">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={33} width={80} />
      ) : (
        <Group gap="xs" align="baseline">
          <Text size="xl" fw={700} className={classes["count"]!}>
            {formatNumber(value)}
          </Text>
          {change !== null && (
            <Text size="xs" c="dimmed" title={formatNumber(before!)}>
              {change}
            </Text>
          )}
        </Group>
      )}
    </Card>
  );
}
