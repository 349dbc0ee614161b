import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Card, Group, Skeleton, Text, VisuallyHidden } from "@mantine/core";
import { IconX, IconZoomIn } from "@tabler/icons-react";
import { useMemo } from "react";
import { formatNumber } from "../base/i18n.ts";
import { TIME_ZONE } from "../base/place.ts";
import { SettingLink } from "../config/setting-link.tsx";
import { Parts } from "../ui/lists/parts.tsx";
import { endOfBucket, HOUR_MS, isoDay, spanName, startOfBucket } from "./buckets.ts";
import type { Brush } from "./chart/brush.ts";
import { Change } from "./change.tsx";
import classes from "./clicks.module.css";
import {
  type Comparison,
  type OnReportChange,
  type ReportSearch,
  widerOf,
  withoutTime,
  writePart,
} from "./range.ts";
import { rangeName } from "./range-names.ts";
import { comparable, endsOpen, leadingValues, seriesOf, sum } from "./chart/series.ts";
import { CHART_HEIGHT, TrendChart } from "./chart/trend-chart.tsx";
import type { Report } from "./use-report.ts";

type Props = {
  report: Pick<
    Report,
    "trend" | "isTrendStale" | "earlier" | "span" | "unit" | "visitors" | "part" | "filter"
  >;
  search: ReportSearch;
  onChange: OnReportChange;
};

/** Height of the legend and the table's switch below the chart. */
const BELOW_CHART = 54;

/** The chart of a report with its sum, and the brushed part. */
export function TrendCard({ report, search, onChange }: Props) {
  const { t, i18n } = useLingui();
  const { trend, earlier, unit, visitors, part } = report;
  const vs = search.vs ?? "before";
  const starts = useMemo(() => trend?.labels.map(startOfBucket) ?? [], [trend]);
  const series = useMemo(
    () => (trend ? seriesOf(trend, visitors, { earlier, vs }) : []),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- names by language
    [trend, earlier, vs, visitors, i18n.locale],
  );
  const unknown = useMemo(() => (trend?.unknown ?? []).map((label) => trend!.labels.indexOf(label)), [trend]);
  const brush = useMemo((): Brush | null => {
    if (part === undefined || starts.length === 0) return null;
    const first = starts.findLastIndex((start) => start <= part.start);
    const last = starts.findLastIndex((start) => start < part.end);
    return [Math.max(0, first), Math.max(0, first, last)];
  }, [part?.start, part?.end, starts]);
  const { part: _, ...whole } = search;
  const zone = <SettingLink settingKey="analytics.time_zone" value={TIME_ZONE} />;

  function choose(chosen: Brush | null): void {
    if (chosen === null) return onChange(whole);
    const start = Math.max(starts[chosen[0]]!, report.span.start);
    const end = Math.min(endOfBucket(starts[chosen[1]]!, unit), report.span.end);
    onChange({ ...search, part: writePart({ start, end }) }, part !== undefined);
  }

  function zoom(): void {
    if (part === undefined) return;
    onChange({ ...withoutTime(search), from: isoDay(part.start), to: isoDay(part.end - HOUR_MS) });
  }

  return (
    <Card withBorder p="md">
      <VisuallyHidden component="h2">
        <Trans>Clicks</Trans>
      </VisuallyHidden>
      <div
        className={classes["trend"]}
        data-stale={report.isTrendStale || undefined}
        aria-busy={report.isTrendStale}
      >
        <Group mih={44}>
          {trend ? (
            <Sum report={report} search={search} vs={vs} brush={brush} />
          ) : (
            <Skeleton height={32} width={160} />
          )}
        </Group>
        {part !== undefined && (
          <Group gap={4} className={classes["part"]!}>
            <Text size="sm" fw={600}>
              {spanName(part)}
            </Text>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconZoomIn size={16} />}
              onClick={zoom}
              className={classes["control"]!}
            >
              <Trans>Zoom in</Trans>
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              leftSection={<IconX size={16} />}
              onClick={() => choose(null)}
              className={classes["control"]!}
            >
              <Trans>Whole time</Trans>
            </Button>
          </Group>
        )}
        <div className={classes["trendChart"]}>
          {trend ? (
            <TrendChart
              label={t`Clicks by time`}
              counts={{ human: t`Human clicks`, automated: t`Bots`, all: t`Clicks` }[visitors]}
              zone={unit === "hour" ? <Trans>Hours in {zone}.</Trans> : <Trans>Days in {zone}.</Trans>}
              starts={starts}
              unit={unit}
              series={series}
              unknown={unknown}
              brush={brush}
              onBrush={choose}
              onZoomOut={() => onChange(widerOf(search))}
            />
          ) : (
            <Skeleton height={CHART_HEIGHT + BELOW_CHART} />
          )}
        </div>
      </div>
    </Card>
  );
}

/** Whose clicks a sum counts. */
function Scope({ filter }: Pick<Report, "filter">) {
  const { code } = filter;
  const isNarrowed = Object.keys(filter).some((name) => name !== "code" && name !== "domain");
  if (isNarrowed || (code === undefined && filter.domain !== undefined)) return <Trans>filtered</Trans>;
  return code === undefined ? (
    <Trans>all links</Trans>
  ) : (
    <Plural value={code.length} one="this link" other="# links" />
  );
}

/** Of the brushed part, or of all. */
function Sum({
  report,
  search,
  vs,
  brush,
}: Pick<Props, "report" | "search"> & { vs: Comparison; brush: Brush | null }) {
  const { t } = useLingui();
  const { trend, earlier, visitors } = report;
  const within = (values: readonly number[]) =>
    sum(brush === null ? values : values.slice(brush[0], brush[1] + 1));
  const clicks = within(leadingValues(trend!, visitors));
  const before = earlier && within(leadingValues(earlier, visitors));
  const compared = within(comparable(leadingValues(trend!, visitors), earlier));
  const isOpen = endsOpen(trend!.labels, earlier) && (brush === null || brush[1] >= earlier!.labels.length);
  const count = formatNumber(clicks);
  const base = formatNumber(before ?? 0);
  const bots = formatNumber(within(trend!.automated_clicks));
  const unique = trend!.visitors?.map((value) => value ?? 0);
  const visits = unique && within(unique);
  return (
    <Group component="p" m={0} gap="xs" align="baseline">
      <Text span fz={26} fw={700} lh={1.2} className={classes["count"]!}>
        {count}
      </Text>
      <Text span size="sm" c="dimmed">
        <Parts>
          {visitors === "automated" ? <Trans>bot clicks</Trans> : <Trans>human clicks</Trans>}
          {visitors === "all" && <Trans>{bots} from bots</Trans>}
          {visits !== undefined && (
            <span title={t`Each visitor counts once a day.`}>
              {trend!.labels.length === 1 && report.unit === "day" ? (
                <Plural value={visits} one="# visitor" other="# visitors" />
              ) : (
                <Plural value={visits} one="# visit by day" other="# visits by day" />
              )}
            </span>
          )}
          <Scope filter={report.filter} />
          {/* The controls of a part name its span; a line more would move the chart under the thumb. */}
          {brush === null && rangeName(search)}
        </Parts>
      </Text>
      {before !== undefined && before > 0 && (
        <Text span size="sm" c="dimmed">
          <Parts>
            <Change
              now={compared}
              before={before}
              isNeutral={visitors === "automated"}
              open={isOpen ? report.unit : undefined}
            />
            {vs === "year" ? <Trans>A year before: {base}</Trans> : <Trans>Previous period: {base}</Trans>}
          </Parts>
        </Text>
      )}
    </Group>
  );
}
