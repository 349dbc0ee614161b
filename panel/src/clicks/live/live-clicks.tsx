import { Trans, useLingui } from "@lingui/react/macro";
import { Card, Group, Text } from "@mantine/core";
import { useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
import classes from "../clicks.module.css";
import { LiveBadge } from "./live-badge.tsx";
import { useLive, useSeconds } from "../../base/live.ts";

const SECONDS = 60;
const HEIGHT = 40;

/** Clicks a second, now and in the last minute. */
export function LiveClicks() {
  const { t } = useLingui();
  const live = useLive(true);
  const [rates, setRates] = useState<readonly number[]>([]);
  useSeconds(live, ({ human_clicks_per_second }) =>
    setRates((before) => [...before, human_clicks_per_second].slice(-SECONDS)),
  );
  const second = live?.second;
  const rate = formatNumber(second?.human_clicks_per_second ?? 0);
  const all = formatNumber(second?.clicks_per_second ?? 0);
  const most = Math.max(1, ...rates);
  const points = rates.map(
    (value, at) => `${SECONDS - rates.length + at},${HEIGHT - (value / most) * HEIGHT}`,
  );
  return (
    <Card withBorder p="md" component="section" aria-label={t`Live clicks`}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600} size="sm">
          <Trans>Live clicks</Trans>
        </Text>
        <LiveBadge state={live?.state ?? "connecting"} />
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="md">
        <div>
          <Text fz={26} fw={700} lh={1.2} className={classes["count"]!}>
            {rate}
          </Text>
          <Text size="xs" c="dimmed">
            <Trans>human clicks per second, {all} with bots</Trans>
          </Text>
        </div>
        <svg
          viewBox={`0 -2 ${SECONDS} ${HEIGHT + 4}`}
          preserveAspectRatio="none"
          className={classes["spark"]}
          role="img"
          aria-label={t`Human clicks a second in the last minute, at most ${formatNumber(Math.max(0, ...rates))}`}
        >
          <polyline points={points.join(" ")} />
        </svg>
      </Group>
    </Card>
  );
}
