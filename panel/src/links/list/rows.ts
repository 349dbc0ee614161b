/** The rows of the list. Rows of the previous search stay until the first of the new one arrive. */
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import type { LinkFinding } from "../link-search.ts";
import { type LinkPageResponse, LINKS_A_PAGE, pageAt, pageQuery, totalQuery } from "./page-queries.ts";

export type LinkRows = {
  /** The search to which `link` and `total` belong. */
  shown: LinkFinding;
  /** Until the links are counted: as many as are known, and a page more if more follow. */
  total: number;
  isCounted: boolean;
  isPending: boolean;
  /** A new search is running. */
  isWaiting: boolean;
  error: Error | null;
  retry(): void;
  /** Undefined while its page is loading. */
  link(row: number): Link | undefined;
  /** Loaded ones. */
  known(): Link[];
};

/** Rows in sight. The end is exclusive. */
type Sight = { first: number; end: number; isRacing: boolean };

export function useLinkRows(finding: LinkFinding, at: number, sight: Sight): LinkRows {
  const [shown, setShown] = useState(finding);
  const isSame = JSON.stringify(shown) === JSON.stringify(finding);
  const first = useQuery({ ...pageQuery(finding, pageAt(at)), enabled: !isSame });
  const counted = useQuery(totalQuery(finding));
  const total = useRef<Total>(undefined);
  const pages = useRef<number[]>([pageAt(at)]);
  // Pages that scroll past quickly are not requested.
  if (!sight.isRacing && total.current !== undefined) pages.current = pagesOf(sight);
  if (!isSame && first.data !== undefined) {
    setShown(finding);
    total.current = totalOf([{ page: pageAt(at), data: first.data, at: first.dataUpdatedAt }], counted);
    pages.current = [pageAt(at)];
  }
  const results = useQueries({ queries: pages.current.map((page) => pageQuery(shown, page)) });
  const loaded = results.flatMap(({ data, dataUpdatedAt }, nth) =>
    data === undefined ? [] : [{ page: pages.current[nth]!, data, at: dataUpdatedAt }],
  );
  if (isSame) total.current = totalOf(loaded, counted) ?? total.current;

  const failed = isSame ? results.find(({ error, data }) => error !== null && data === undefined) : first;
  const byPage = new Map(pages.current.map((page, nth) => [page, results[nth]?.data]));
  return {
    shown,
    total: total.current?.links ?? 0,
    isCounted: total.current?.isCounted === true,
    isPending: total.current === undefined,
    isWaiting: !isSame,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    link: (row) => byPage.get(pageAt(row))?.links[row % LINKS_A_PAGE],
    known: () => results.flatMap(({ data }) => data?.links ?? []),
  };
}

type Total = { links: number; isCounted: boolean } | undefined;
type Loaded = { page: number; data: LinkPageResponse; at: number };

/** A last page tells the total too; the newer of both is right. Undefined if nothing tells anything. */
function totalOf(
  loaded: readonly Loaded[],
  counted: { data: number | undefined; dataUpdatedAt: number },
): Total {
  const endOf = ({ page, data }: Loaded) => page * LINKS_A_PAGE + data.links.length;
  const last = loaded
    .filter(({ page, data }) => data.isLast && (data.links.length > 0 || page === 0))
    .toSorted((a, b) => b.at - a.at)[0];
  if (last !== undefined && (counted.data === undefined || last.at >= counted.dataUpdatedAt)) {
    return { links: endOf(last), isCounted: true };
  }
  if (counted.data !== undefined) return { links: counted.data, isCounted: true };
  const ends = loaded
    .filter(({ data }) => data.links.length > 0)
    .map((one) => endOf(one) + (one.data.isLast ? 0 : LINKS_A_PAGE));
  return ends.length === 0 ? undefined : { links: Math.max(...ends), isCounted: false };
}

/** So many rows before a page comes into sight, it is asked for. */
const AHEAD = 12;

/** Loads the pages that come into sight next. */
export function usePagesAround({ shown, total, isPending }: LinkRows, { first, end, isRacing }: Sight): void {
  const queries = useQueryClient();
  const [before, after] = [pageAt(Math.max(0, first - AHEAD)), pageAt(end - 1 + AHEAD)];
  useEffect(() => {
    if (isRacing || isPending) return;
    for (const page of [after, before]) {
      if (page * LINKS_A_PAGE < total) void queries.prefetchQuery(pageQuery(shown, page));
    }
  }, [before, after, JSON.stringify(shown), isPending]);
}

const pagesOf = ({ first, end }: { first: number; end: number }): number[] => {
  const from = pageAt(first);
  return Array.from({ length: pageAt(Math.max(first, end - 1)) - from + 1 }, (_, nth) => from + nth);
};
