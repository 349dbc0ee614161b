import { Trans, useLingui } from "@lingui/react/macro";
import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useNavigate, useRouteContext, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { formatNumber } from "../base/i18n.ts";
import { api, responseOf } from "../base/api.ts";
import { lazyOrFailure, lazyPart } from "../base/lazy.ts";
import { PageTitle } from "../ui/page-head.tsx";
import { LoadFailure } from "../ui/load-failure.tsx";
import type { Unit } from "./buckets.ts";
import { Change } from "./change.tsx";
import classes from "./clicks.module.css";
import { HealthLine } from "./health-line.tsx";
import { NewestClicks } from "./live/newest-clicks.tsx";
import { compareOf, type OnReportChange } from "./range.ts";
import { ReportBar } from "./report-bar.tsx";
import { topQuery, totalsQuery, trendQuery } from "./report-queries.ts";
import { comparable, endsOpen, sum } from "./chart/series.ts";
import { Sparkline } from "./chart/sparkline.tsx";
import { TopLinks } from "./top-links.tsx";
import { TrendCard } from "./trend-card.tsx";
import { frameOf } from "./frame.ts";

const FirstRun = lazyOrFailure(async () => (await import("./first-run.tsx")).FirstRun);

const Attention = lazyPart(async () => (await import("./attention.tsx")).Attention);

/** Of all links that the account sees. */
const linkCountQuery = queryOptions({
  queryKey: ["links", "count"],
  async queryFn({ signal }) {
    const params = { query: { domain: "*", page_size: 1 } };
    return (await responseOf(api.GET("/admin/v1/links", { params, signal }))).pagination?.total;
  },
});

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
  const linkCount = useQuery({ ...linkCountQuery, enabled: !isAdmin });
  const earlier = trend.data?.compared;
  const change: OnReportChange = (next, isMore = false) =>
    void navigate({ search: next, replace: isMore, resetScroll: false });
  const figureOf = (values: readonly (number | null)[] | undefined, before?: readonly (number | null)[]) => ({
    value: values && sum(values.map((value) => value ?? 0)),
    before: before && sum(before.map((value) => value ?? 0)),
    compared: values && sum(comparable(values, earlier)),
    course: values,
    open: trend.data && endsOpen(trend.data.labels, earlier) ? unit : undefined,
  });
  const [bots, visits] = [trend.data?.automated_clicks, trend.data?.visitors];
  const figures = 2 + Number(isAdmin) + Number(visits !== undefined);
  const links = isAdmin ? totals.data?.total_links : linkCount.data;

  if (links === 0) return <Begin isAdmin={isAdmin} />;
  return (
    <Stack p="md" gap="md">
      <Group justify="space-between">
        <PageTitle>
          <Trans>Overview</Trans>
        </PageTitle>
        <ReportBar search={search} onChange={change} without={["visitors"]} />
      </Group>
      <Group gap="xs" mih={36} justify="space-between">
        <Greeting name={account.display_name ?? account.username} />
        <Suspense fallback={null}>
          <Attention isAdmin={isAdmin} />
        </Suspense>
      </Group>
      {isAdmin && <HealthLine />}
      <Failed of={[totals, trend, top, linkCount]} />
      <TrendCard
        report={{
          ...frame,
          trend: trend.data,
          isTrendStale: trend.isPlaceholderData,
          earlier,
        }}
        search={search}
        onChange={change}
      />
      <SimpleGrid
        component="dl"
        m={0}
        cols={{ base: 2, sm: figures === 3 ? 3 : 2, md: figures }}
        spacing="sm"
        className={classes["tiles"]!}
      >
        {visits !== undefined && <Figure label={t`Visits by day`} {...figureOf(visits, earlier?.visitors)} />}
        <Figure label={t`Bot clicks`} {...figureOf(bots, earlier?.automated_clicks)} isNeutral />
        {isAdmin && <Figure label={t`Human clicks, all time`} value={totals.data?.human_clicks} />}
        <Figure label={t`Links`} value={links} />
      </SimpleGrid>
      <div className={`${classes["report"]} ${classes["pair"]}`}>
        <TopLinks links={top.data} />
        <NewestClicks place={null} frame={frame} isDetailed={undefined} mayWatch={isAdmin} most={8} />
      </div>
    </Stack>
  );
}

const [MORNING, NOON, EVENING, NIGHT] = [5, 12, 18, 23];

function Greeting({ name }: { name: string }) {
  const { t } = useLingui();
  const hour = new Date().getHours();
  const greeting =
    hour >= MORNING && hour < NOON
      ? t`Good morning, ${name}.`
      : hour >= NOON && hour < EVENING
        ? t`Good afternoon, ${name}.`
        : hour >= EVENING && hour < NIGHT
          ? t`Good evening, ${name}.`
          : t`Hello, ${name}.`;
  return <Text c="dimmed">{greeting}</Text>;
}

/** Before there are links. */
const Begin = ({ isAdmin }: { isAdmin: boolean }) => (
  <Stack p="md" gap="md">
    <PageTitle>
      <Trans>Overview</Trans>
    </PageTitle>
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
  /** What is compared with it. */
  compared?: number | undefined;
  /** The unit of what is not over and so is not compared. */
  open?: Unit | undefined;
  /** By day or hour. */
  course?: readonly (number | null)[] | undefined;
  isNeutral?: boolean;
};

function Figure({ label, value, before = 0, compared, open, course = [], isNeutral = false }: FigureProps) {
  return (
    <Card withBorder px="md" py="xs">
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton component="dd" m={0} height={28} width={80} />
      ) : (
        <Group component="dd" m={0} gap="xs" align="baseline" wrap="nowrap">
          <Text size="lg" fw={600} className={classes["count"]!}>
            {formatNumber(value)}
          </Text>
          <Change now={compared ?? value} before={before} isNeutral={isNeutral} open={open} isShort />
          <Sparkline values={course.map((one) => one ?? 0)} isOfBots={isNeutral} />
        </Group>
      )}
    </Card>
  );
}
