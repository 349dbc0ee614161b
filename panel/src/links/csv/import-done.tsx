import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isFocusLost } from "../../ui/focus-back.ts";
import { useSentence } from "../../ui/failure.tsx";
import { refreshLinks } from "../link-queries.ts";
import type { CsvSource } from "./csv-source.ts";
import { FailedRows } from "./failed-rows.tsx";
import { ImportCounts } from "./import-counts.tsx";
import { type ImportWork, leaveImport, startImport } from "./import-state.ts";

/** What an import did, and what it could not do. */
export function ImportDone({ source, run }: { source: CsvSource; run: ImportWork }) {
  const sentenceOf = useSentence();
  const queries = useQueryClient();
  const next = useRef<HTMLButtonElement & HTMLAnchorElement>(null);
  useEffect(() => void refreshLinks(queries), [queries]);
  // The button that began it is gone.
  useEffect(() => {
    if (isFocusLost()) next.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack gap="lg">
      {run.error !== null && (
        <Alert color="red" variant="light" role="alert">
          {sentenceOf(run.error)}
        </Alert>
      )}
      {run.result !== null && (
        <>
          <ImportCounts work={run} isDone />
          <FailedRows source={source} result={run.result} />
        </>
      )}
      <Group>
        {run.error === null ? (
          <Button ref={next} component={Link} to="/links" onClick={leaveImport}>
            <Trans>Show the links</Trans>
          </Button>
        ) : (
          <Button ref={next} onClick={() => void startImport()}>
            <Trans>Try again</Trans>
          </Button>
        )}
        <Button variant="default" onClick={leaveImport}>
          <Trans>Import another file</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
