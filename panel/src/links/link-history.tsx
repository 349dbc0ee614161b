import { Trans, useLingui } from "@lingui/react/macro";
import { Box, Button, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { LinkPlace } from "../base/link-states.ts";
import { LoadFailure } from "../ui/load-failure.tsx";
import { HistoryEntry, isState } from "./history/history-entry.tsx";
import { linkHistoryQuery } from "./history/history-queries.ts";

/** Who did what to a link, with a way to go back. */
export function LinkHistory({ place }: { place: LinkPlace }) {
  const { t } = useLingui();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    useInfiniteQuery(linkHistoryQuery(place));
  const events = data?.pages.flatMap((page) => page.data);
  const newest = events?.find(isState);
  const firstOfMore = useRef<HTMLDivElement>(null);
  const [knownBefore, setKnownBefore] = useState<number>();
  const knownNow = events?.length ?? 0;
  // The button moves away, or goes.
  useEffect(() => {
    if (knownBefore !== undefined && knownNow > knownBefore) firstOfMore.current?.focus();
  }, [knownBefore, knownNow]);

  function showMore(): void {
    setKnownBefore(knownNow);
    void fetchNextPage();
  }
  return (
    <Box component="section" aria-label={t`History`} maw={900}>
      {error !== null && events === undefined ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : events === undefined ? (
        <Skeleton h={120} />
      ) : events.length === 0 ? (
        <Text size="sm" c="dimmed">
          <Trans>Nothing is recorded.</Trans>
        </Text>
      ) : (
        events.map((event, at) => (
          <HistoryEntry
            key={event.id}
            ref={at === knownBefore ? firstOfMore : null}
            event={event}
            place={place}
            isNewest={event === newest}
          />
        ))
      )}
      {isFetchNextPageError && <LoadFailure error={error!} onRetry={showMore} />}
      {hasNextPage && !isFetchNextPageError && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          style={{ alignSelf: "start" }}
          loading={isFetchingNextPage}
          onClick={showMore}
        >
          <Trans>Show more</Trans>
        </Button>
      )}
    </Box>
  );
}
