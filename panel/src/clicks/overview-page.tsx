import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { formatNumber, formatPercent } from "../app/i18n.ts";
import { useSentence } from "../ui/failure.tsx";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { RangeControl } from "./range-control.tsx";
import { topQuery, totalsQuery, trendQuery } from "./report-queries.ts";
import { TrendChart } from "./trend-chart.tsx";

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export function OverviewPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/" });
  const navigate = useNavigate({ from: "/" });
  const sentenceOf = useSentence();
  const totals = useQuery(totalsQuery);
  const trend = useQuery(trendQuery(search));
  const before = useQuery(trendQuery(search, true));
  const top = useQuery(topQuery(search));
  const clicks = trend.data && sum(trend.data.values);
  const earlier = before.data && sum(before.data.values);
  const change = clicks === undefined || !earlier ? null : clicks / earlier - 1;
  const failed = [totals, trend, top].find(({ error }) => error !== null);

  return (
    <Stack p="md" gap="md">
      <Group justify="space-between">
        <Title order={1} size="h3">
          <Trans>Overview</Trans>
        </Title>
        <RangeControl search={search} onChange={(next) => void navigate({ search: next, replace: true })} />
      </Group>
      {failed && (
        <Alert color="red" role="alert">
          {sentenceOf(failed.error)}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure
          label={t`Clicks in this time`}
          value={clicks}
          note={change === null ? null : formatPercent(change)}
        />
        <Figure label={t`Clicks in all`} value={totals.data?.total_clicks} note={null} />
        <Figure label={t`Links`} value={totals.data?.total_links} note={null} />
        <Figure label={t`Active links`} value={totals.data?.active_links} note={null} />
      </SimpleGrid>
      <Card withBorder p="md">
        <Text component="h2" fw={600} size="sm" mb="xs">
          <Trans>Clicks by day</Trans>
        </Text>
        {trend.data ? <TrendChart {...trend.data} /> : <Skeleton height={220} />}
      </Card>
      <Card withBorder p="md">
        <Text component="h2" fw={600} size="sm" mb="xs">
          <Trans>Most clicked links</Trans>
        </Text>
        {top.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            <Trans>Nothing in this time.</Trans>
          </Text>
        )}
        {top.data?.map(({ code, domain, clicks: count }) => (
          <Group key={`${domain}/${code}`} justify="space-between" wrap="nowrap" py={4}>
            <AnchorLink
              to="/link/$"
              params={{ _splat: code }}
              search={domain === null ? {} : { domain }}
              size="sm"
              truncate
            >
              {domain === null ? code : `${domain}/${code}`}
            </AnchorLink>
            <Text size="sm" ff="monospace">
              {formatNumber(count)}
            </Text>
          </Group>
        ))}
      </Card>
    </Stack>
  );
}

function Figure({ label, value, note }: { label: string; value: number | undefined; note: string | null }) {
  return (
    <Card withBorder p="md">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={28} mt={4} width={80} />
      ) : (
        <Text size="xl" fw={700}>
          {formatNumber(value)}
        </Text>
      )}
      {note !== null && (
        <Text size="xs" c="dimmed">
          <Trans>{note} against the time before</Trans>
        </Text>
      )}
    </Card>
  );
}
