import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { accountQuery } from "../../auth/account.ts";
import { formatBytes } from "../../base/i18n.ts";
import { hasRoom } from "../../base/place.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { useSentence } from "../../ui/failure.tsx";
import { isFocusLost } from "../../ui/focus-back.ts";
import { FormFoot } from "../../ui/forms/form-foot.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { csvReport } from "./csv-report.ts";
import { FailedRows } from "./failed-rows.tsx";
import { FileDrop } from "./file-drop.tsx";
import { ImportColumns } from "./import-columns.tsx";
import { ImportCounts } from "./import-counts.tsx";
import { ImportModes } from "./import-modes.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { ImportDone } from "./import-done.tsx";
import { hasNeededColumns, leaveImport, startImport, takeUpImport, useImport } from "./import-state.ts";

/** Imports a CSV file, and shows what will happen before anything is written. */
export function ImportPage() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  useMemo(() => takeUpImport(account.id), [account.id]);
  const { source, run, record } = useImport();
  return (
    <Stack p="md" gap="md">
      <PagePath to="/links" search={{}} name={t`Import links`}>
        <Trans>Links</Trans>
      </PagePath>
      <PageHead
        title={t`Import links`}
        sentence={
          hasRoom("imports") ? (
            <Trans>
              From a CSV file: a Waymark export, or a table of your own. From YOURLS and others, with their
              clicks:{" "}
              <AnchorLink to="/links/moves" underline="always">
                Move from another service
              </AnchorLink>
            </Trans>
          ) : (
            <Trans>From a CSV file: a Waymark export, or a table of your own.</Trans>
          )
        }
      />
      <Stack gap="md" maw="72rem">
        {account.role !== "admin" ? (
          <Text c="dimmed">
            <Trans>Only administrators import links.</Trans>
          </Text>
        ) : run.step !== null ? (
          <ImportProgress step={run.step} />
        ) : record !== null ? (
          <ImportDone record={record} />
        ) : source === null ? (
          <FileDrop />
        ) : (
          <Prepared />
        )}
      </Stack>
    </Stack>
  );
}

/** What will happen, and the choices that change it. */
function Prepared() {
  const state = useImport();
  const sentenceOf = useSentence();
  const name = useRef<HTMLParagraphElement>(null);
  // The field that chose the file is gone.
  useEffect(() => {
    if (isFocusLost()) name.current?.focus();
  }, []);
  const { source, columns, preview } = state;
  if (source === null) return null;
  const isUsable = hasNeededColumns(state);
  const most = preview.result?.success_count ?? 0;
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Text ref={name} tabIndex={-1} fw={600} style={{ overflowWrap: "anywhere", outline: "none" }}>
          <bdi>{source.name}</bdi> · {formatBytes(source.bytes.length)}
        </Text>
        <Button variant="default" size="xs" onClick={leaveImport}>
          <Trans>Another file</Trans>
        </Button>
      </Group>
      <ImportModes />
      <ImportColumns />
      {!isUsable && (
        <Alert color="yellow" variant="light">
          <Trans>Choose which column holds the target.</Trans>
        </Alert>
      )}
      {isUsable && !state.columns.includes("code") && (
        <Text size="sm" c="dimmed">
          <Trans>No column holds the code: each link gets a random one.</Trans>
        </Text>
      )}
      {preview.error !== null && (
        <Alert color="red" variant="light" role="alert">
          {sentenceOf(preview.error)}
        </Alert>
      )}
      {isUsable && <ImportCounts work={preview} isDone={false} />}
      {preview.result !== null && (
        <FailedRows
          name={source.name}
          result={preview.result}
          report={{
            rows: preview.result.failed_items.length,
            blob: () => csvReport(source, columns, preview.result?.failed_items ?? []),
          }}
        />
      )}
      <FormFoot>
        <Button variant="default" onClick={leaveImport}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          disabled={most === 0}
          loading={isUsable && preview.step !== null}
          onClick={() => void startImport()}
        >
          {most === 0 ? (
            <Trans>Import</Trans>
          ) : (
            <Plural value={most} one="Import # row" other="Import # rows" />
          )}
        </Button>
      </FormFoot>
    </Stack>
  );
}
