import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ApiError } from "../../base/api.ts";
import { isFocusLost } from "../../ui/focus-back.ts";
import { useSentence } from "../../ui/failure.tsx";
import { refreshLinks } from "../link-queries.ts";
import { csvReport, reportBlob } from "./csv-report.ts";
import { FailedRows } from "./failed-rows.tsx";
import { ImportCounts } from "./import-counts.tsx";
import type { ImportRecord } from "./import-record.ts";
import { leaveImport, startImport, useImport } from "./import-state.ts";
import { ImportUnknown } from "./import-unknown.tsx";

/** The outcome of an import. After a reload, as far as this tab has kept it. */
export function ImportDone({ record }: { record: ImportRecord }) {
  const { source, columns, run } = useImport();
  const sentenceOf = useSentence();
  const queries = useQueryClient();
  const next = useRef<HTMLButtonElement & HTMLAnchorElement>(null);
  const { name, failure, isOver, part, parts } = record;
  useEffect(() => void refreshLinks(queries), [queries, isOver]);
  // The button that started it is gone.
  useEffect(() => {
    if (isFocusLost()) next.current?.focus({ preventScroll: true });
  }, []);
  const isWhole = isOver && failure === null && part === parts - 1;
  const result = record.result && {
    ...record.result,
    failed_items: run.result?.failed_items ?? record.result.failed_items,
  };
  const whole = source !== null && run.result?.failed_count === result?.failed_count ? run.result : null;
  const report =
    source !== null && whole !== null
      ? { rows: whole.failed_items.length, blob: () => csvReport(source, columns, whole.failed_items) }
      : { rows: record.report?.rows ?? 0, blob: () => reportBlob([record.report?.text ?? ""]) };
  return (
    <Stack gap="lg">
      <Text fw={600} style={{ overflowWrap: "anywhere" }}>
        {name}
      </Text>
      {!isOver && <ImportUnknown record={record} />}
      {isOver && failure !== null && (
        <Alert color="red" variant="light" role="alert">
          {sentenceOf(run.error ?? new ApiError(failure.status, failure))}
        </Alert>
      )}
      {isOver && failure === null && part < parts - 1 && (
        <Alert color="yellow" variant="light">
          <Trans>
            {part + 1} of {parts} parts of the file are imported. To import the rest, choose the file again:
            with “Skip them” links that exist stay as they are.
          </Trans>
        </Alert>
      )}
      {result !== null && (
        <>
          <ImportCounts work={{ step: null, result, error: null }} isDone />
          <FailedRows name={name} result={result} report={report} />
        </>
      )}
      <Group>
        {isWhole ? (
          <Button
            ref={next}
            onClick={leaveImport}
            renderRoot={(look) => (
              <Link {...look} to="/links" search={{ sort: "created_at", order: "desc" }} />
            )}
          >
            <Trans>Show the links</Trans>
          </Button>
        ) : source === null ? (
          <Button ref={next} onClick={leaveImport}>
            <Trans>Choose the file again</Trans>
          </Button>
        ) : (
          <Button ref={next} onClick={() => void startImport()}>
            <Trans>Try again</Trans>
          </Button>
        )}
        {(isWhole || source !== null) && (
          <Button variant="default" onClick={leaveImport}>
            <Trans>Import another file</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}
