import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Box, Button, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Event } from "../base/api.ts";
import { formatTime, sentenceGap } from "../base/i18n.ts";
import { DataList } from "../ui/lists/data-list.tsx";
import { Empty } from "../ui/empty.tsx";
import { LoadOn } from "../ui/long/load-on.tsx";
import { LongRows } from "../ui/long/long-rows.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { PersonName } from "../ui/person-name.tsx";
import { isReceived, Received, useSender } from "../links/history/received.tsx";
import { EventDifference } from "./event-difference.tsx";
import { EventFilters } from "./event-filters.tsx";
import { eventsQuery, retentionQuery } from "./event-queries.ts";
import { readEventSearch } from "./event-search.ts";
import { EventSubject } from "./event-subject.tsx";
import { useActionNames, useViaNames } from "./event-texts.ts";
import { FilterSheet } from "../ui/dialogs/filter-sheet.tsx";

const USUAL_DAYS = 365;

export function EventsPage() {
  const { t } = useLingui();
  const actions = useActionNames();
  const search = useSearch({ from: "/inside/events" });
  const navigate = useNavigate({ from: "/events" });
  const list = useInfiniteQuery(eventsQuery(search));
  const { data, error, refetch } = list;
  const { data: kept } = useQuery(retentionQuery);
  const days = kept ?? USUAL_DAYS;
  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Events`}
        sentence={
          <>
            <Trans>Who did what, newest first.</Trans>
            {sentenceGap()}
            {/* The room of it is there before it is known. */}
            <span style={{ visibility: kept === undefined ? "hidden" : "visible" }}>
              <Plural value={days} one="Kept for # day." other="Kept for # days." />
            </span>
          </>
        }
      >
        <Button component={Link} to="/links/changes" variant="default">
          <Trans>Bulk changes</Trans>
        </Button>
      </PageHead>
      <div>
        <FilterSheet count={Object.keys(search).length}>
          <EventFilters
            search={search}
            onChange={(next, isTyped = false) =>
              void navigate({
                search: (now) => readEventSearch({ ...now, ...next }),
                // Back undoes a choice.
                replace: isTyped,
                resetScroll: false,
              })
            }
          />
        </FilterSheet>
      </div>
      <DataList<Event>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Events`}
        items={data?.pages.flatMap((page) => page.data)}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={
          <Empty title={<Trans>No events match.</Trans>} sentence={<Trans>Change the filters.</Trans>} />
        }
        columns={[
          {
            title: t`When`,
            isHidden: "narrow",
            fit: "value",
            cell: ({ at }) => (
              <Text size="sm" c="dimmed">
                {formatTime(at)}
              </Text>
            ),
          },
          {
            title: t`Who`,
            isHidden: "narrow",
            width: "9rem",
            cell: (event) => <Who event={event} />,
          },
          {
            title: t`What`,
            cell: (event) => (
              <>
                <Box hiddenFrom="sm" mb={4}>
                  <Who event={event} />
                </Box>
                <Text size="sm" title={event.action} style={{ overflowWrap: "anywhere" }}>
                  {isReceived(event) ? (
                    <Received event={event} />
                  ) : (
                    <Action event={event} name={actions[event.action] ?? event.action} />
                  )}
                </Text>
                {!isReceived(event) && <EventDifference event={event} />}
              </>
            ),
          },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}

/** Who did it and how, on phones also when. */
function Who({ event }: { event: Event }) {
  const { t } = useLingui();
  const vias = useViaNames();
  const senderOf = useSender();
  const { actor, at, tool, via } = event;
  return (
    <>
      <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
        {isReceived(event) ? <bdi>{senderOf(event)}</bdi> : <PersonName of={actor} />}
      </Text>
      <Text size="xs" c="dimmed">
        {isReceived(event) ? t`through a drop box` : vias[via]}
        {tool !== undefined && ` · ${tool}`}
        <Text span inherit hiddenFrom="sm">
          {" · "}
          {formatTime(at)}
        </Text>
      </Text>
    </>
  );
}

/** What was done, and to what. */
function Action({ event, name }: { event: Event; name: string }) {
  const { action, subject } = event;
  if (action === "sign_in.success" && subject !== "") return <Trans>{subject} signed in</Trans>;
  if (action === "sign_in.failure" && subject !== "") return <Trans>Failed sign-in as {subject}</Trans>;
  if (subject === "") return name;
  return (
    <Trans>
      {name}: <EventSubject event={event} />
    </Trans>
  );
}
