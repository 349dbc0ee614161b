import { Trans, useLingui } from "@lingui/react/macro";
import { Card, Skeleton, Tabs, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { SettingLink } from "../../config/setting-link.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import classes from "../clicks.module.css";
import { conditionsFor, type Dimension } from "../dimensions.ts";
import { ExportList } from "../export/export-list.tsx";
import { withCondition } from "../filter.ts";
import type { Frame } from "../frame.ts";
import type { OnReportChange, ReportSearch } from "../range.ts";
import { listQuery, MOST_ROWS } from "../report-queries.ts";
import type { ListComparison } from "./list-comparison.ts";
import { type Counted, itemsOf } from "../list-items.ts";
import { SHARES_HEIGHT, SharesList } from "./shares-list.tsx";

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
  /** What the counts of the rows are compared with. */
  comparison?: ListComparison | undefined;
};

/** Lists of one kind, of which one is shown. Each row is a filter. Without clicks it is one line. */
export function ListCard({ title, tabs, frame, search, onChange, comparison }: Props) {
  const { t } = useLingui();
  const [picked, setPicked] = useState<Dimension | null>(null);
  const [first, setFirst] = useState(0);
  const chosen = picked ?? tabs[first % tabs.length]!.dimension;
  const { above } = tabs.find(({ dimension }) => dimension === chosen)!;
  const { shown, visitors, filter } = frame;
  const requested = { span: shown, visitors, filter };
  const { data, error, isPlaceholderData, refetch } = useQuery(listQuery(chosen, requested));
  const { spans, open } = comparison ?? {};
  const before = useQuery({
    ...listQuery(chosen, { ...requested, span: spans?.before ?? shown }, MOST_ROWS),
    enabled: spans !== undefined,
  });
  const closed = useQuery({
    ...listQuery(chosen, { ...requested, span: spans?.now ?? shown }, MOST_ROWS),
    enabled: open !== undefined,
  });
  const counts = {
    human: t({ message: "Human clicks", context: "short" }),
    automated: t`Bots`,
    all: t`All clicks`,
  };
  const compared = { before: comparison && before.data, now: open === undefined ? data : closed.data };
  const items = data && itemsOf(chosen, data, compared);
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
      <VisuallyHidden component="h2">{title}</VisuallyHidden>
      <Tabs
        value={chosen}
        keepMounted={false}
        variant="pills"
        onChange={(next) => setPicked(next as Dimension)}
      >
        <div className={classes["listHead"]}>
          <Tabs.List aria-label={title} className={classes["listTabs"]!}>
            {tabs.map(({ dimension, title: name }) => (
              <Tabs.Tab key={dimension} value={dimension} data-text={name}>
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
        {tabs.map(({ dimension, title: name }) => (
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
                <SharesList
                  label={name}
                  counts={counts[visitors]}
                  isCompared={comparison !== undefined}
                  items={items}
                  dimension={chosen}
                  open={open}
                  onChoose={choose}
                  onHost={(host) => onChange(withCondition(search, { name: "referrer", value: host }))}
                  foot={<ExportList dimension={chosen} title={name} frame={frame} />}
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
  if (dimension.startsWith("utm_"))
    return <Trans>No clicks in this range had {dimension}. Add it to the target of a link.</Trans>;
  if (dimension === "site") return <Trans>No referrers in this range.</Trans>;
  if (dimension !== "country" && dimension !== "city")
    return <Trans>Unknown for all clicks in this range.</Trans>;
  const places = <SettingLink settingKey={PLACES} />;
  return <Trans>No places are recorded for these clicks. The setting “{places}” records them.</Trans>;
}
