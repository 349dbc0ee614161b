import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { DataList } from "../../ui/lists/data-list.tsx";
import type { ReportedCsvRow } from "./csv-report.ts";
import { saveBlob } from "./save-blob.ts";

export const MOST_SHOWN = 50;

type Props = {
  heading: ReactNode;
  label: string;
  /** Head of the column with what is said of a row. */
  reason: string;
  rows: readonly ReportedCsvRow[];
  /** All of them, as a file named after the imported one. */
  file: { after: string; ending: string; blob(): Blob } | null;
  children: ReactNode;
};

/** The first rows of a file of which an import has something to say. */
export function ReportedRows({ heading, label, reason, rows, file, children }: Props) {
  const { t } = useLingui();
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text component="h2" fw={600}>
          {heading}
        </Text>
        {file !== null && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveBlob(file.blob(), `${file.after.replace(/\.\w+$/, "")}-${file.ending}.csv`)}
          >
            <Trans>Download them with the reasons</Trans>
          </Button>
        )}
      </Group>
      {rows.length > 0 && (
        <DataList
          label={label}
          items={rows.slice(0, MOST_SHOWN)}
          error={null}
          onRetry={() => undefined}
          keyOf={({ row, error }) => `${row} ${error}`}
          empty=""
          columns={[
            { title: t`Line`, cell: ({ row }) => formatNumber(row) },
            { title: t`Code`, cell: ({ code }) => code, isHidden: "narrow" },
            { title: reason, cell: ({ error }) => error },
          ]}
        />
      )}
      {children}
    </Stack>
  );
}
