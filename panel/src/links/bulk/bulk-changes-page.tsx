import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Progress, Stack, Text } from "@mantine/core";
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, type BulkChange, responseOf } from "../../base/api.ts";
import { formatNumber, formatTime } from "../../base/i18n.ts";
import { Empty } from "../../ui/empty.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { LoadOn } from "../../ui/long/load-on.tsx";
import { LongRows } from "../../ui/long/long-rows.tsx";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PersonName, usePersonName } from "../../ui/person-name.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { Differences } from "../history/differences.tsx";
import { refreshLinks } from "../link-queries.ts";
import { undoBulkChange } from "./found-run.ts";

const PAGE = 50;
const LOOK_MS = 800;

const bulkChangesQuery = infiniteQueryOptions({
  queryKey: ["bulk-changes"],
  initialPageParam: "",
  queryFn: ({ pageParam, signal }) =>
    responseOf(
      api.GET("/admin/v1/bulk-changes", { params: { query: { limit: PAGE, cursor: pageParam } }, signal }),
    ),
  getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ data }) => data.some((change) => change.state === "undoing")) ? LOOK_MS : false,
});

/** Who changed many links at once, and the way back. */
export function BulkChangesPage() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const list = useInfiniteQuery(bulkChangesQuery);
  const { data, error, refetch } = list;
  const items = data?.pages.flatMap((page) => page.data);
  const isUndoing = items?.some(({ state }) => state === "undoing") ?? false;
  useEffect(() => {
    if (!isUndoing) void refreshLinks(queries);
  }, [queries, isUndoing]);
  return (
    <Stack p="md" gap="md">
      <PagePath to="/links" search={{}} name={t`Bulk changes`}>
        <Trans>Links</Trans>
      </PagePath>
      <PageHead
        title={t`Bulk changes`}
        sentence={t`Changes made to many links at once. Undo runs on the server and goes on even if you close this page.`}
      />
      <DataList<BulkChange>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Bulk changes`}
        items={items}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ change }) => change}
        empty={
          <Empty
            title={<Trans>No bulk changes yet.</Trans>}
            sentence={<Trans>Select links in the list to change or delete them together.</Trans>}
          />
        }
        columns={[
          { title: t`What`, cell: (change) => <What change={change} /> },
          {
            title: t`Who`,
            isHidden: "medium",
            width: "10rem",
            cell: ({ actor }) => <PersonName of={actor} />,
          },
          { title: t`When`, isHidden: "medium", fit: "value", cell: ({ at }) => formatTime(at) },
          { title: t`Undo`, width: "clamp(8rem, 34vw, 13rem)", cell: (change) => <Undo change={change} /> },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}

function What({ change }: { change: BulkChange }) {
  const { action, links, subject, before, after, at } = change;
  const actor = usePersonName(change.actor);
  return (
    <>
      <Text size="sm" fw={600}>
        {action === "link.delete" ? (
          <Plural value={links} one="# link deleted" other="# links deleted" />
        ) : action === "tag.rename" ? (
          <Trans>
            Tag {subject} renamed to {String(change.after?.["tag"] ?? "")}
          </Trans>
        ) : action === "tag.delete" ? (
          <Trans>Tag {subject} deleted</Trans>
        ) : (
          <Plural value={links} one="# link changed" other="# links changed" />
        )}
      </Text>
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        <Which change={change} />
      </Text>
      {action === "link.update" && <Differences event={{ before: before ?? {}, after: after ?? {} }} />}
      <Text size="xs" c="dimmed" hiddenFrom="lg">
        <bdi>{actor}</bdi> · {formatTime(at)}
      </Text>
    </>
  );
}

function Which({ change: { action, links, subject } }: { change: BulkChange }) {
  if (action.startsWith("tag.")) return <Plural value={links} one="# link" other="# links" />;
  const others = links - 1;
  return others === 0 ? (
    subject
  ) : (
    <Trans>
      {subject} and {formatNumber(others)} more
    </Trans>
  );
}

function Undo({ change }: { change: BulkChange }) {
  const { t } = useLingui();
  const { links, restored, failed, state, undoable, refusal, undone_by: by } = change;
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const undo = useMutation({
    mutationFn: () => undoBulkChange(change.change),
    onSuccess: () => queries.invalidateQueries({ queryKey: bulkChangesQuery.queryKey }),
    onError,
  });
  const label = change.action === "link.delete" ? t`Put back all` : t`Undo`;
  if (state === "undoing") {
    return (
      <Stack gap={4} role="status">
        <Text size="sm">
          <Trans>
            {formatNumber(restored)} of {formatNumber(links)}
          </Trans>
        </Text>
        <Progress size="sm" aria-label={label} value={((restored + failed) / Math.max(1, links)) * 100} />
      </Stack>
    );
  }
  return (
    <Stack gap={2} align="start">
      {undoable && (
        <Button
          size="compact-sm"
          variant="default"
          loading={undo.isPending}
          onClick={() => undo.mutate()}
          aria-label={`${label}: ${change.subject}`}
        >
          {label}
        </Button>
      )}
      {state === "undone" && (
        <Text size="sm" c="dimmed">
          {restored >= links ? (
            <Trans>Undone by {by}</Trans>
          ) : (
            <Trans>
              {formatNumber(restored)} of {formatNumber(links)} links are as before.
            </Trans>
          )}
        </Text>
      )}
      {refusal !== null && failed > 0 && (
        <Text size="xs" c="dimmed" lang="en">
          {refusal}
        </Text>
      )}
    </Stack>
  );
}
