import { Plural, useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import type { ImportResult } from "../../base/api.ts";
import { MOST_SHOWN, ReportedRows } from "./reported-rows.tsx";

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
    <ReportedRows
      heading={<Plural value={count} one="# row fails" other="# rows fail" />}
      label={t`Failed rows`}
      reason={t`Reason`}
      rows={failed}
      file={report.rows > 0 ? { after: name, ending: "failed", blob: report.blob } : null}
    >
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
    </ReportedRows>
  );
}
