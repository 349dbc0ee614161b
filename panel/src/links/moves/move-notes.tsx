import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ImportNote, ProductImport } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { LoadOn } from "../../ui/long/load-on.tsx";
import { LongRows } from "../../ui/long/long-rows.tsx";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { moveNotesQuery, saveReport } from "./move-queries.ts";

const MOST_SHOWN = 100;

/** What becomes of records that don't come as they are. */
function useKinds(): Record<ImportNote["kind"], string> {
  const { t } = useLingui();
  return {
    refused: t`Left out`,
    skipped: t`Left out, exists`,
    renamed: t`Another code`,
    disabled: t`Disabled`,
    partial: t`Imported in part`,
    visit: t`Visit left out`,
    file: t`File left out`,
    kept: t`Kept`,
  };
}

/** The reasons with their numbers, each record with its reason, and all of them as a file. */
export function MoveNotes({ move }: { move: ProductImport }) {
  const { t } = useLingui();
  const kinds = useKinds();
  const onError = useFailureNotice();
  const [isOpen, setIsOpen] = useState(false);
  const isPreview = move.state === "previewed";
  const save = useMutation({ mutationFn: () => saveReport(move.id), onError });
  if (move.reasons.length === 0) return null;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text component="h2" fw={600}>
          {isPreview ? (
            <Trans>What is left out or changed</Trans>
          ) : (
            <Trans>What was left out or changed</Trans>
          )}
        </Text>
        {!isPreview && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            <Trans>Download the report (CSV)</Trans>
          </Button>
        )}
      </Group>
      <DataList
        label={t`Reasons`}
        items={move.reasons}
        error={null}
        onRetry={() => undefined}
        keyOf={({ kind, reason }) => `${kind} ${reason}`}
        empty=""
        columns={[
          {
            title: t({ message: "Number", context: "how many" }),
            fit: "number",
            cell: ({ count }) => formatNumber(count),
          },
          { title: t`Result`, fit: "value", cell: ({ kind }) => kinds[kind] },
          { title: t`Reason`, cell: ({ reason }) => <Reason text={reason} /> },
        ]}
      />
      <Disclosure label={<Trans>Show each one</Trans>} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)}>
        {isPreview ? <Rows notes={move.notes.slice(0, MOST_SHOWN)} /> : <StoredNotes id={move.id} />}
      </Disclosure>
    </Stack>
  );
}

const Reason = ({ text }: { text: string }) => (
  <Text size="sm" lang="en" style={{ overflowWrap: "anywhere" }}>
    {text}
  </Text>
);

function StoredNotes({ id }: { id: number }) {
  const list = useInfiniteQuery(moveNotesQuery(id));
  return (
    <>
      <Rows
        notes={list.data?.pages.flatMap((page) => page.data)}
        error={list.error}
        isMore={list.hasNextPage}
        onRetry={() => void list.refetch()}
      />
      <LoadOn list={list} />
    </>
  );
}

type RowsProps = {
  notes: readonly ImportNote[] | undefined;
  error?: Error | null;
  isMore?: boolean;
  onRetry?(): void;
};

function Rows({ notes, error = null, isMore = false, onRetry = () => undefined }: RowsProps) {
  const { t } = useLingui();
  const kinds = useKinds();
  return (
    <DataList<ImportNote>
      long={{ Rows: LongRows, isMore }}
      label={t`Affected records`}
      items={notes}
      error={error}
      onRetry={onRetry}
      keyOf={({ position, kind, reason }) => `${position} ${kind} ${reason}`}
      empty=""
      columns={[
        { title: t`Line`, fit: "number", cell: ({ position }) => formatNumber(position) },
        {
          title: t`Code`,
          cell: ({ code }) => (
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              <bdi>{code}</bdi>
            </Text>
          ),
        },
        { title: t`Result`, fit: "value", isHidden: "narrow", cell: ({ kind }) => kinds[kind] },
        { title: t`Reason`, cell: ({ reason }) => <Reason text={reason} /> },
      ]}
    />
  );
}
