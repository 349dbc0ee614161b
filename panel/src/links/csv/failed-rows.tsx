import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ImportResult } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import { DataList } from "../../ui/lists/data-list.tsx";
import { saveBlob } from "./save-blob.ts";

const MOST_SHOWN = 50;

type Props = {
  /** Of the file. */
  name: string;
  result: ImportResult;
  /** How many of the rows `blob` has. */
  report: { rows: number; blob(): Blob };
};

/** The first failed rows with the server's messages, and all of them as a file. */
export function FailedRows({ name, result, report }: Props) {
  const { t } = useLingui();
  const { failed_items: failed, failed_count: count } = result;
  if (count === 0) return null;
  const more = report.rows - Math.min(MOST_SHOWN, failed.length);
  const lost = count - report.rows;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text component="h2" fw={600}>
          <Plural value={count} one="# row fails" other="# rows fail" />
        </Text>
        {report.rows > 0 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveBlob(report.blob(), `${name.replace(/\.\w+$/, "")}-failed.csv`)}
          >
            <Trans>Download them with the reasons</Trans>
          </Button>
        )}
      </Group>
      {failed.length > 0 && (
        <DataList
          label={t`Failed rows`}
          items={failed.slice(0, MOST_SHOWN)}
          error={null}
          onRetry={() => undefined}
          keyOf={({ row, error }) => `${row} ${error}`}
          empty=""
          columns={[
            { title: t`Line`, cell: ({ row }) => formatNumber(row) },
            { title: t`Code`, cell: ({ code }) => code, isHidden: "narrow" },
            { title: t`Reason`, cell: ({ error }) => error },
          ]}
        />
      )}
      {more > 0 && (
        <Text size="sm" c="dimmed">
          <Plural value={more} one="And # more, in the file." other="And # more, in the file." />
        </Text>
      )}
      {lost > 0 && (
        <Text size="sm" c="dimmed">
          <Plural
            value={lost}
            one="# more is not kept here. Choose the file again: what fails is shown before anything is written."
            other="# more are not kept here. Choose the file again: what fails is shown before anything is written."
          />
        </Text>
      )}
    </Stack>
  );
}
