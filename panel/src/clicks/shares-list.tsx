import { Trans } from "@lingui/react/macro";
import { Card, Skeleton, Text, UnstyledButton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatNumber, formatShare } from "../base/i18n.ts";
import classes from "./clicks.module.css";

export type Counted = { key: string; name: string; count: number; percentage: number };
type Props = {
  title: string;
  items: readonly Counted[] | undefined;
  /** Before the list. */
  children?: ReactNode;
};

const FIRST = 8;
const ROW = 34;

/** Names with their counts, the most frequent first. */
export function SharesList({ title, items, children }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? items : items?.slice(0, FIRST);
  const more = (items?.length ?? 0) - FIRST;
  return (
    <Card withBorder p="md" component="section" aria-label={title} className={classes["list"]!}>
      <Text component="h2" fw={600} size="sm" mb="xs">
        {title}
      </Text>
      {children}
      {shown === undefined && <Skeleton height={ROW * FIRST} />}
      {shown?.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No clicks in this range.</Trans>
        </Text>
      )}
      {shown !== undefined && shown.length > 0 && (
        <ul className={classes["shares"]}>
          {shown.map(({ key, name, count, percentage }) => (
            <li key={key} className={classes["share"]}>
              <div className={classes["bar"]} style={{ width: `${Math.min(100, percentage)}%` }} />
              <span className={classes["name"]} title={name} dir="auto">
                {name}
              </span>
              <span className={classes["count"]}>
                {formatNumber(count)}
                <span className={classes["percent"]}>{formatShare(percentage)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && (
        <UnstyledButton
          className={classes["more"]!}
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? <Trans>Show fewer</Trans> : <Trans>Show {formatNumber(more)} more</Trans>}
        </UnstyledButton>
      )}
    </Card>
  );
}
