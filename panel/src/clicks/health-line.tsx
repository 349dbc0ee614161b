import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Skeleton, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { responseOf, api, ApiError, type HealthReport } from "../base/api.ts";
import { everyMs } from "../base/queries.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { useSentence } from "../ui/failure.tsx";
import classes from "./clicks.module.css";

const EVERY_MS = 60_000;

const healthQuery = queryOptions({
  queryKey: ["health", "report"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/health", { signal }))).data,
  refetchInterval: everyMs(EVERY_MS),
  retry: false,
});

const LOOKS = {
  healthy: { icon: IconCircleCheck, color: "var(--good)" },
  degraded: { icon: IconAlertTriangle, color: "var(--warning)" },
  unhealthy: { icon: IconCircleX, color: "var(--mantine-color-error)" },
};

const messageOf = (checks: HealthReport["checks"]): string => {
  const { storage, secret_key: key, cache, disk, certificates, mail } = checks;
  return [storage, key, cache, disk, certificates, mail].find(({ message }) => message !== "")?.message ?? "";
};

/** The state of the server in one line. */
export function HealthLine() {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const { data, error } = useQuery(healthQuery);
  if (data === undefined && error === null) return <Skeleton height={24} />;
  // routes.health_prefix is another one.
  if (error instanceof ApiError && error.status === 404) return null;
  const status = error === null ? data!.status : "unhealthy";
  const { icon: Icon, color } = LOOKS[status];
  return (
    <Group gap="xs" className={classes["health"]!} role="status">
      <Icon size={18} color={color} aria-hidden />
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {error !== null && sentenceOf(error)}
        {error === null && status === "healthy" && t`Everything works.`}
        {error === null && status !== "healthy" && (messageOf(data!.checks) || t`Something needs attention.`)}
      </Text>
      <AnchorLink to="/health" size="sm" c="dimmed" underline="always">
        <Trans>Health</Trans>
      </AnchorLink>
    </Group>
  );
}
