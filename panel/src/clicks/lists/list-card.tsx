import { Trans } from "@lingui/react/macro";
import { Card, Skeleton, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { LoadFailure } from "../../ui/load-failure.tsx";
import classes from "../clicks.module.css";
import type { Frame } from "../frame.ts";
import { listQuery, type Place } from "../report-queries.ts";
import { type Dimension, nameOfValue } from "../dimensions.ts";
import { isRest } from "../names.ts";
import { type Counted, SHARES_HEIGHT, SharesList } from "./shares-list.tsx";

type ListTab = {
  dimension: Dimension;
  title: string;
  /** Above its rows. */
  above?(items: readonly Counted[]): ReactNode;
};

type Props = { title: string; tabs: readonly ListTab[]; place: Place | null; frame: Frame };

/** Lists of one kind, of which one is shown. Without clicks it is one line. */
export function ListCard({ title, tabs, place, frame: { shown, visitors } }: Props) {
  const [chosen, setChosen] = useState(tabs[0]!.dimension);
  const { above } = tabs.find(({ dimension }) => dimension === chosen)!;
  const { data, error, isPlaceholderData, refetch } = useQuery(
    listQuery(chosen, place, { span: shown, visitors }),
  );
  const items = useMemo(
    () =>
      data?.data
        .map(({ value, ...counts }) => ({ ...counts, key: value, name: nameOfValue(chosen, value) }))
        // What is put together has no rank among names.
        .sort((one, other) => Number(isRest(one.key)) - Number(isRest(other.key))),
    [data, chosen],
  );
  const isEmpty = items?.length === 0;
  // Without details an empty list would be misleading.
  if (isEmpty && data?.details === false) return null;
  return (
    <Card withBorder px="md" py="xs" component="section" aria-label={title} className={classes["list"]!}>
      <Tabs
        value={chosen}
        keepMounted={false}
        variant="pills"
        onChange={(next) => setChosen(next as Dimension)}
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
              <Trans>No clicks in this range.</Trans>
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
                <SharesList items={items} />
              </>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}
