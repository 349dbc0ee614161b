import { Trans, useLingui } from "@lingui/react/macro";
import { Card, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { TIME_ZONE } from "../../base/place.ts";
import { SettingLink } from "../../config/setting-link.tsx";
import { Empty } from "../../ui/empty.tsx";
import { PageTitle } from "../../ui/page-head.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { startOfBucket } from "../buckets.ts";
import { comparedSeries } from "../chart/series.ts";
import { CHART_HEIGHT, TrendChart } from "../chart/trend-chart.tsx";
import { CompareField } from "./compare-field.tsx";
import { comparedPlace } from "./compared-links.ts";
import type { CompareSearch } from "./compare-search.ts";
import { CompareTable } from "./compare-table.tsx";
import { frameOf } from "../frame.ts";
import { compareOf } from "../range.ts";
import { ReportBar } from "../report-bar.tsx";
import { filterFor, trendQuery } from "../report-queries.ts";

/** Two to five links beside each other: one chart, and one table of figures and where the clicks came from. */
export function ComparePage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/analytics/compare" });
  const navigate = useNavigate({ from: "/analytics/compare" });
  const go = (next: CompareSearch): void => void navigate({ search: next, resetScroll: false });
  const { link: keys = [], ...time } = search;
  const places = keys.map(comparedPlace);
  const frame = frameOf(time, null);
  const { span, unit, visitors } = frame;
  const results = useQueries({
    queries: places.map((place) =>
      trendQuery({ span, visitors, filter: filterFor(place, {}) }, unit, compareOf(time)),
    ),
  });
  const zone = <SettingLink settingKey="analytics.time_zone" value={TIME_ZONE} />;
  const failed = results.find(({ error }) => error !== null);
  const trends = results.flatMap(({ data }) => data ?? []);
  const drawn = useMemo(
    () => ({
      starts: trends[0]?.labels.map(startOfBucket) ?? [],
      series: comparedSeries(
        trends.map((trend, at) => ({ name: places[at]?.code ?? "", trend })),
        visitors,
      ),
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the answers and what they were asked
    [results.map(({ dataUpdatedAt }) => dataUpdatedAt).join(), keys.join(), unit, visitors],
  );
  const isWhole = trends.length === places.length;
  return (
    <Stack p="md" gap="sm">
      <Group justify="space-between">
        <PageTitle>
          <Trans>Compare links</Trans>
        </PageTitle>
        <ReportBar
          search={time}
          onChange={({ range, from, to, by, visitors: whose, vs }) =>
            go({
              ...(range && { range }),
              ...(from && { from }),
              ...(to && { to }),
              ...(by && { by }),
              ...(whose && { visitors: whose }),
              ...(vs && { vs }),
              link: keys,
            })
          }
        />
      </Group>
      <CompareField keys={keys} onChange={(link) => go({ ...time, ...(link.length > 0 && { link }) })} />
      {failed?.error && <LoadFailure error={failed.error} onRetry={() => void failed.refetch()} />}
      {keys.length < 2 ? (
        <Empty
          title={<Trans>Choose two to five links</Trans>}
          sentence={<Trans>You can also select them in the list of links and press Compare.</Trans>}
        />
      ) : isWhole ? (
        <>
          <Card withBorder p="md">
            <TrendChart
              label={t`Clicks by time`}
              counts={visitors === "automated" ? t`Bots` : t`Human clicks`}
              zone={unit === "hour" ? <Trans>Hours in {zone}.</Trans> : <Trans>Days in {zone}.</Trans>}
              unit={unit}
              {...drawn}
            />
          </Card>
          <CompareTable places={places} trends={trends} frame={frame} search={time} />
        </>
      ) : (
        failed === undefined && <Skeleton height={CHART_HEIGHT} />
      )}
      {visitors === "all" && keys.length > 1 && (
        <Text size="xs" c="dimmed">
          <Trans>Lines and sums are human clicks; bots have a row of their own.</Trans>
        </Text>
      )}
    </Stack>
  );
}
