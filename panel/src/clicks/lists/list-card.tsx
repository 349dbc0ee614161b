import { Trans } from "@lingui/react/macro";
import { Card, Skeleton, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { SettingLink } from "../../config/setting-link.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import classes from "../clicks.module.css";
import { conditionsFor, type Dimension, nameOfValue } from "../dimensions.ts";
import { withCondition } from "../filter.ts";
import type { Frame } from "../frame.ts";
import { isRest } from "../names.ts";
import type { OnReportChange, ReportSearch } from "../range.ts";
import { type List, listQuery, MOST_LISTED } from "../report-queries.ts";
import { type Counted, SHARES_HEIGHT, SharesList } from "./shares-list.tsx";

type ListTab = {
  dimension: Dimension;
  title: string;
  /** Above its rows. */
  above?(items: readonly Counted[]): ReactNode;
};

type Props = {
  title: string;
  tabs: readonly ListTab[];
  frame: Frame;
  search: ReportSearch;
  onChange: OnReportChange;
  /** The span that the counts are compared with. */
  earlier?: Frame["span"] | undefined;
};

/** As many values as a comparison can know. */
const MOST_EARLIER = 1_000;
const MOST_HOSTS = 5;

/** Lists of one kind, of which one is shown. Each row is a filter. Without clicks it is one line. */
export function ListCard({ title, tabs, frame, search, onChange, earlier }: Props) {
  const [picked, setPicked] = useState<Dimension | null>(null);
  const [first, setFirst] = useState(0);
  const chosen = picked ?? tabs[first % tabs.length]!.dimension;
  const { above } = tabs.find(({ dimension }) => dimension === chosen)!;
  const { shown, visitors, filter } = frame;
  const requested = { span: shown, visitors, filter };
  const { data, error, isPlaceholderData, refetch } = useQuery(listQuery(chosen, requested));
  const before = useQuery({
    ...listQuery(chosen, { ...requested, span: earlier ?? shown }, MOST_EARLIER),
    enabled: earlier !== undefined,
  });
  const items = data && itemsOf(chosen, data, earlier && before.data);
  const isEmpty = items?.length === 0;
  // Until somebody picks a tab, the first that has something to say is shown; if none has, the first.
  const isNext = picked === null && isEmpty && !isPlaceholderData && data!.total > 0 && first < tabs.length;
  useEffect(() => {
    if (isNext) setFirst((now) => now + 1);
  }, [isNext, first]);
  // Without details an empty list would be misleading.
  if (isEmpty && data?.details === false) return null;
  const choose = ({ value }: Counted): void => {
    if (value !== undefined) onChange(conditionsFor(chosen, value).reduce(withCondition, search));
  };
  return (
    <Card withBorder px="md" py="xs" component="section" aria-label={title} className={classes["list"]!}>
      <Tabs
        value={chosen}
        keepMounted={false}
        variant="pills"
        onChange={(next) => setPicked(next as Dimension)}
      >
        <div className={classes["listHead"]}>
          <Tabs.List className={classes["listTabs"]!}>
            {tabs.map(({ dimension, title: name }) => (
              <Tabs.Tab key={dimension} value={dimension}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {isEmpty && (
            <Text size="sm" c="dimmed">
              <Nothing dimension={chosen} isClicked={data !== undefined && data.total > 0} />
            </Text>
          )}
        </div>
        {tabs.map(({ dimension }) => (
          <Tabs.Panel
            key={dimension}
            value={dimension}
            className={classes["listBody"]!}
            data-stale={isPlaceholderData || undefined}
            aria-busy={isPlaceholderData}
          >
            {error !== null && data === undefined && (
              <LoadFailure error={error} onRetry={() => void refetch()} />
            )}
            {items === undefined && error === null && <Skeleton height={SHARES_HEIGHT} mb="xs" />}
            {items !== undefined && !isEmpty && (
              <>
                {above?.(items)}
                {visitors === "all" && (
                  <Text size="xs" c="dimmed" ta="end">
                    <Trans>All clicks</Trans>
                  </Text>
                )}
                <SharesList
                  items={items}
                  isLinks={chosen === "link"}
                  rest={<Rest dimension={chosen} rows={data?.rows ?? []} />}
                  onChoose={choose}
                  onHost={(host) => onChange(withCondition(search, { name: "referrer", value: host }))}
                />
              </>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}

const PLACES = "analytics.enable_geo_lookup";

/** Why no row is listed. */
function Nothing({ dimension, isClicked }: { dimension: Dimension; isClicked: boolean }) {
  if (!isClicked) return <Trans>No clicks in this range.</Trans>;
  if (dimension.startsWith("utm_")) return <Trans>No campaigns in this range.</Trans>;
  if (dimension === "site") return <Trans>No referrers in this range.</Trans>;
  if (dimension !== "country" && dimension !== "city")
    return <Trans>Unknown for all clicks in this range.</Trans>;
  const places = <SettingLink settingKey={PLACES} />;
  return <Trans>No places are recorded for these clicks. The setting “{places}” records them.</Trans>;
}

/** The clicks of no listed value: of those beyond the list, and of those without one. */
function Rest({ dimension, rows }: { dimension: Dimension; rows: List["rows"] }) {
  if (!dimension.startsWith("utm_") && dimension !== "site") return <Trans>Others or unknown</Trans>;
  const isWhole = rows.length < MOST_LISTED && !rows.some(({ value }) => isRest(value));
  if (!isWhole) return <Trans>Others and none</Trans>;
  return dimension === "site" ? <Trans>No referrer</Trans> : <Trans>No campaign</Trans>;
}

const keyOf = ({ value, country, domain }: List["rows"][number]): string =>
  JSON.stringify([value, country, domain]);

/** Hosts of a site, unless it has only the one of its name. */
const hostsOf = ({ value, hosts = [] }: List["rows"][number]): Counted["hosts"] =>
  hosts.length === 1 && hosts[0]!.value === value
    ? []
    : hosts.slice(0, MOST_HOSTS).map((host) => ({ name: host.value, count: host.clicks }));

/** With their part of all clicks; those of no row come last, together. */
function itemsOf(dimension: Dimension, { rows, total, other }: List, before: List | undefined): Counted[] {
  const known = before && new Map(before.rows.map((row) => [keyOf(row), row.clicks]));
  const percentageOf = (count: number) => (total === 0 ? 0 : (count / total) * 100);
  const named = rows
    .filter(({ value }) => !isRest(value))
    .map((row) => ({
      key: dimension === "country" ? row.value : keyOf(row),
      name: nameOfValue(dimension, row),
      value: row,
      count: row.clicks,
      percentage: percentageOf(row.clicks),
      ...(dimension === "site" && { hosts: hostsOf(row) }),
      ...(known && { before: known.get(keyOf(row)) ?? 0 }),
    }));
  const rest = other + rows.filter(({ value }) => isRest(value)).reduce((sum, { clicks }) => sum + clicks, 0);
  if (rest <= 0 || named.length === 0) return named;
  return [...named, { key: "", name: null, count: rest, percentage: percentageOf(rest) }];
}
