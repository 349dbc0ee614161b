import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ImportResult } from "../../app/api.ts";
import { formatNumber } from "../../app/i18n.ts";
import { DataList } from "../../ui/data-list.tsx";
import { type CsvSource, failureReport } from "./csv-source.ts";
import { saveBlob } from "./save-blob.ts";

const MOST_SHOWN = 50;

/** The first of them with the server's sentences, and all of them as a file. */
export function FailedRows({ source, result }: { source: CsvSource; result: ImportResult }) {
  const { t } = useLingui();
  const { failed_items: failed, failed_count: count } = result;
  if (count === 0) return null;
  const more = count - Math.min(MOST_SHOWN, failed.length);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text component="h2" fw={600}>
          <Plural value={count} one="# row fails" other="# rows fail" />
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() =>
            saveBlob(failureReport(source, failed), `${source.name.replace(/\.\w+$/, "")}-failed.csv`)
          }
        >
          <Trans>Download them with the reasons</Trans>
        </Button>
      </Group>
      <DataList
        label={t`Failed rows`}
        items={failed.slice(0, MOST_SHOWN)}
        error={null}
        onRetry={() => undefined}
        keyOf={({ row }) => row}
        empty=""
        columns={[
          { title: t`Line`, cell: ({ row }) => formatNumber(row) },
          { title: t`Code`, cell: ({ code }) => code, isHidden: "narrow" },
          { title: t`Reason`, cell: ({ error }) => error },
        ]}
      />
      {more > 0 && (
        <Text size="sm" c="dimmed">
          <Plural value={more} one="And # more, in the file." other="And # more, in the file." />
        </Text>
      )}
    </Stack>
  );
}
