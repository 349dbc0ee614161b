import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import type { ImportResult } from "../../base/api.ts";
import { csvReport } from "./csv-report.ts";
import type { CsvSource } from "./csv-source.ts";
import { useImport } from "./import-state.ts";
import { MOST_SHOWN, ReportedRows } from "./reported-rows.tsx";

type Props = {
  /** Of the file. */
  name: string;
  result: ImportResult;
  source: CsvSource | null;
};

/** Cells that an import takes as empty, because it can't read them. */
export function UnreadCells({ name, result, source }: Props) {
  const { t } = useLingui();
  const { columns } = useImport();
  const { unread_items: items = [], unread_count: count = 0 } = result;
  if (count === 0) return null;
  const sentences = {
    expires_at: (value: string) => t`expires_at can't be read: “${value}”. The link does not expire.`,
    created_at: (value: string) => t`created_at can't be read: “${value}”. The time of the import counts.`,
    click_count: (value: string) => t`click_count can't be read: “${value}”. The clicks start at 0.`,
  };
  const rows = items.map(({ row, code, column, value }) => ({ row, code, error: sentences[column](value) }));
  const more = count - Math.min(MOST_SHOWN, rows.length);
  return (
    <ReportedRows
      heading={<Plural value={count} one="# value can't be read" other="# values can't be read" />}
      label={t`Values that can't be read`}
      reason={t`What happens`}
      rows={rows}
      file={source && { after: name, ending: "unread", blob: () => csvReport(source, columns, rows) }}
    >
      {more > 0 && rows.length > 0 && (
        <Text size="sm" c="dimmed">
          <Plural value={more} one="And # more." other="And # more." />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        <Trans>
          The rows are imported as if these cells were empty. Write times like 2026-12-31T13:00:00Z.
        </Trans>
      </Text>
    </ReportedRows>
  );
}
