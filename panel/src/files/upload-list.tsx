import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Card, Group, Progress, Text } from "@mantine/core";
import { clearUploads, useUploads } from "./uploads.ts";

export function UploadList() {
  const { t } = useLingui();
  const uploads = useUploads();
  if (uploads.length === 0) return null;
  return (
    <Card withBorder p="md" aria-live="polite">
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600} size="sm">
          <Trans>Uploads</Trans>
        </Text>
        <Button size="compact-xs" variant="default" onClick={clearUploads}>
          <Trans>Clear what has ended</Trans>
        </Button>
      </Group>
      {uploads.map(({ id, name, size, sent, state, problem }) => (
        <div key={id}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" truncate>
              {name}
            </Text>
            <Text size="xs" c={state === "failed" ? "red" : "dimmed"} style={{ flexShrink: 0 }}>
              {state === "done" && t`Done`}
              {state === "failed" && (problem || t`It broke off. Choose the file again to go on.`)}
              {state === "running" && `${size === 0 ? 100 : Math.floor((sent / size) * 100)} %`}
            </Text>
          </Group>
          <Progress
            value={size === 0 ? 100 : (sent / size) * 100}
            color={state === "failed" ? "red" : "brand"}
            size="sm"
            mb={6}
            aria-label={name}
          />
        </div>
      ))}
    </Card>
  );
}
