import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import type { SystemReport } from "../base/api.ts";
import { formatList, formatTime, sentenceGap } from "../base/i18n.ts";
import { useDuration } from "../ui/ages.ts";
import { nameOfJob } from "./job-names.ts";

/** Names of the parts with problems. */
function useTroubles(system: SystemReport): string[] {
  const { database, cache, clicks, mail, certificates, disks, storages, jobs } = system;
  const { t } = useLingui();
  const parts = [
    { name: t`Database`, status: database.status },
    { name: t`Cache`, status: cache.status },
    { name: t`Click totals`, status: clicks.status },
    { name: t`Mail`, status: mail.status },
    { name: t`Certificates`, status: certificates.status },
    ...disks.map(({ folder, status }) => ({ name: folder, status })),
    ...(storages ?? []),
    ...jobs.map(({ job, status }) => ({ name: nameOfJob(job) ?? job, status })),
  ];
  return parts.filter(({ status }) => status !== "healthy").map(({ name }) => name);
}

/** The whole state in one line. Only what changes it is spoken, not the times of each check. */
export function HealthSummary({ system, isOld }: { system: SystemReport; isOld: boolean }) {
  const durationOf = useDuration();
  const names = useTroubles(system);
  const count = names.length;
  const isWell = count === 0 && system.status === "healthy";
  const tone = isWell ? "teal" : system.status === "unhealthy" ? "red" : "orange";
  return (
    <Stack gap="xs">
      <Alert
        variant="default"
        icon={isWell ? <IconCircleCheck size={20} /> : <IconAlertTriangle size={20} />}
        role="status"
        styles={{
          title: { color: "var(--mantine-color-text)" },
          icon: { color: `var(--mantine-color-${tone}-filled)` },
        }}
        title={
          isWell ? (
            <Trans>Everything works</Trans>
          ) : (
            <Plural value={count} one="# part is in trouble" other="# parts are in trouble" />
          )
        }
      >
        {count > 0 && (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {formatList(names)}
          </Text>
        )}
      </Alert>
      <Text size="sm" c="dimmed">
        <Trans>
          Waymark {system.version} on {system.runtime}, up for {durationOf(system.uptime)}.
        </Trans>
        {sentenceGap()}
        {isOld ? (
          <Trans>The server does not respond; this is how it was at {formatTime(system.checked_at)}.</Trans>
        ) : (
          <Trans>Checked at {formatTime(system.checked_at)}, refreshes every 10 s.</Trans>
        )}
      </Text>
    </Stack>
  );
}
