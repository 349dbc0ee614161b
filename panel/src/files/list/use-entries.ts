import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { inOrder } from "../entry-order.ts";
import { entriesOf, folderQuery, foundQuery } from "../file-queries.ts";
import type { FileSearch } from "../file-search.ts";

/** The rows for the address. A folder loads completely, page by page; a search as far as one scrolls. */
export function useEntries({ team, folder, q, sort, order }: FileSearch) {
  const isSearch = q !== undefined;
  const list = useInfiniteQuery({ ...folderQuery(folder ?? null, team), enabled: !isSearch });
  const found = useInfiniteQuery({
    ...foundQuery(q ?? "", team),
    enabled: isSearch,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isError } = list;
  useEffect(() => {
    if (!isSearch && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [isSearch, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);

  const inFolder = useMemo(
    () => data && inOrder(data.pages.flatMap(entriesOf), { ...(sort && { sort }), ...(order && { order }) }),
    [data, sort, order],
  );
  const matching = useMemo(() => found.data?.pages.flatMap((page) => page.data), [found.data]);
  const shown = isSearch ? found : list;
  const entries = isSearch ? matching : inFolder;
  const files = useMemo(() => entries?.filter(({ kind }) => kind === "file") ?? [], [entries]);
  return {
    isSearch,
    entries,
    files,
    path: data?.pages[0]?.path,
    owner: data?.pages[0]?.owner,
    onServer: data?.pages[0]?.on_server,
    error: shown.error,
    retry: () => void shown.refetch(),
    isMore: shown.hasNextPage,
    more() {
      if (isSearch && found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
    },
  };
}
