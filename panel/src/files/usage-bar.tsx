import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Progress, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatBytes } from "../base/i18n.ts";
import { usageQuery } from "./file-queries.ts";

const ALMOST = 90;

/** The space that is used, against the quota if there is one. */
export function UsageBar({ team }: { team: string | undefined }) {
  const { t } = useLingui();
  const { data } = useQuery(usageQuery(team));
  if (data === undefined) return null;
  const { used_bytes: used, quota_bytes: quota } = data;
  if (quota === 0) {
    return (
      <Text size="xs" c="dimmed">
        <Trans>{formatBytes(used)} used</Trans>
      </Text>
    );
  }
  const share = Math.min(100, (used / quota) * 100);
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress
        w={96}
        size="sm"
        value={share}
        color={share >= ALMOST ? "red" : "brand"}
        aria-label={t`Used space`}
      />
      <Text size="xs" c={share >= ALMOST ? "inherit" : "dimmed"} fw={share >= ALMOST ? 600 : 400}>
        <Trans>
          {formatBytes(used)} of {formatBytes(quota)} used
        </Trans>
      </Text>
    </Group>
  );
}
