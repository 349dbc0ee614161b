import { Center, Loader } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useEffect } from "react";
import { LoadFailure } from "../load-failure.tsx";

type Props = {
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: Error | null;
    fetchNextPage(): Promise<unknown>;
  };
};

/** At the end of a list: loads more when it is nearly visible. */
export function LoadOn({ list }: Props) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = list;
  const { ref, entry } = useIntersection({ rootMargin: "600px" });
  const isDue =
    (entry?.isIntersecting ?? false) && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isDue) void fetchNextPage();
  }, [isDue, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <Center ref={ref} mih={48}>
      {isFetchNextPageError && error !== null ? (
        <LoadFailure error={error} onRetry={() => void fetchNextPage()} />
      ) : (
        <Loader size="sm" aria-hidden />
      )}
    </Center>
  );
}
