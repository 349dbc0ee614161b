import { Trans } from "@lingui/react/macro";
import { Card, Text } from "@mantine/core";
import { formatNumber } from "../app/i18n.ts";
import classes from "./clicks.module.css";

export type Counted = { name: string; count: number; percentage: number };
type Props = { title: string; items: readonly Counted[] };

/** Names with their counts, the most frequent first. */
export function SharesList({ title, items }: Props) {
  return (
    <Card withBorder p="md">
      <Text component="h2" fw={600} size="sm" mb="xs">
        {title}
      </Text>
      {items.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>Nothing in this time.</Trans>
        </Text>
      )}
      {items.map(({ name, count, percentage }) => (
        <div key={name} className={classes["share"]}>
          <div className={classes["bar"]} style={{ width: `${Math.min(100, percentage)}%` }} />
          <Text size="sm" className={classes["name"]} title={name}>
            {name}
          </Text>
          <Text size="sm" className={classes["count"]}>
            {formatNumber(count)}
          </Text>
        </div>
      ))}
    </Card>
  );
}
