import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleX } from "@tabler/icons-react";
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
  degraded: { icon: IconAlertTriangle, color: "var(--warning)" },
  unhealthy: { icon: IconCircleX, color: "var(--mantine-color-error)" },
};

const messageOf = (checks: HealthReport["checks"]): string => {
  const { storage, secret_key: key, cache, disk, certificates, mail } = checks;
  return [storage, key, cache, disk, certificates, mail].find(({ message }) => message !== "")?.message ?? "";
};

/** What is wrong with the server, in one line; nothing while it is well. */
export function HealthLine() {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const { data, error } = useQuery(healthQuery);
  if (data === undefined && error === null) return null;
  // routes.health_prefix is another one.
  if (error instanceof ApiError && error.status === 404) return null;
  const status = error === null ? data!.status : "unhealthy";
  if (status === "healthy") return null;
  const { icon: Icon, color } = LOOKS[status];
  return (
    <Group gap="xs" wrap="nowrap" className={classes["health"]!} role="status">
      <Icon size={18} color={color} aria-hidden style={{ flex: "none" }} />
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {error === null ? messageOf(data!.checks) || t`Something needs attention.` : sentenceOf(error)}
      </Text>
      <AnchorLink to="/health" size="sm" c="dimmed" underline="always">
        <Trans>Health</Trans>
      </AnchorLink>
    </Group>
  );
}
