import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { answerOf, api, type Event } from "../app/api.ts";
import { formatTime } from "../app/i18n.ts";
import { changedFields } from "../ui/changed-fields.ts";
import { DataList } from "../ui/data-list.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { type EventSearch, readEventSearch } from "./event-search.ts";

const PAGE = 50;
const TYPING_MS = 200;

const eventsQuery = (search: EventSearch) =>
  infiniteQueryOptions({
    queryKey: ["events", search],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = { ...search, limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) };
      return answerOf(api.GET("/admin/v1/events", { params: { query }, signal }));
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

export function EventsPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/events" });
  const navigate = useNavigate({ from: "/events" });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    eventsQuery(search),
  );
  const change = useDebouncedCallback(
    (next: { actor?: string; subject?: string }) =>
      void navigate({ search: (now) => readEventSearch({ ...now, ...next }), replace: true }),
    TYPING_MS,
  );
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Events`} sentence={t`Who did what, newest first.`} />
      <Group gap="xs">
        <TextInput
          aria-label={t`Who`}
          placeholder={t`Who`}
          defaultValue={search.actor}
          onChange={(event) => change({ actor: event.currentTarget.value.trim() })}
        />
        <TextInput
          aria-label={t`Code, account or key`}
          placeholder={t`Code, account or key`}
          defaultValue={search.subject}
          onChange={(event) => change({ subject: event.currentTarget.value.trim() })}
        />
      </Group>
      <DataList<Event>
        label={t`Events`}
        items={data?.pages.flatMap((page) => page.data)}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={<Trans>Nothing of this kind happened.</Trans>}
        columns={[
          {
            title: t`When`,
            cell: ({ at }) => (
              <Text size="sm" c="dimmed">
                {formatTime(at)}
              </Text>
            ),
          },
          { title: t`Who`, cell: ({ actor, via }) => `${actor} (${via})` },
          {
            title: t`What`,
            cell: ({ action, subject }) => (
              <Text size="sm">
                <Code>{action}</Code> {subject}
              </Text>
            ),
          },
          {
            title: t`Changed fields`,
            isHidden: "narrow",
            cell: (event) => (
              <Text size="sm" c="dimmed">
                {changedFields(event).join(", ")}
              </Text>
            ),
          },
        ]}
      />
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            <Trans>Show more</Trans>
          </Button>
        </Group>
      )}
    </Stack>
  );
}
