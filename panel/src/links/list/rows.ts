/** The rows of the list. Rows of the previous search stay until the first of the new one arrive. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Link } from "../../base/api.ts";
import type { LinkFinding } from "../link-search.ts";
import { PAGE, pageQuery } from "./page-queries.ts";

export type LinkRows = {
  /** The search to which `link` and `total` belong. */
  shown: LinkFinding;
  total: number;
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

/** @param sight rows in sight; the end is exclusive */
export function useLinkRows(
  finding: LinkFinding,
  at: number,
  sight: { first: number; end: number; isRacing: boolean },
): LinkRows {
  const [shown, setShown] = useState(finding);
  const isSame = JSON.stringify(shown) === JSON.stringify(finding);
  const first = useQuery({ ...pageQuery(finding, pageAt(at)), enabled: !isSame });
  const total = useRef<number>(undefined);
  const pages = useRef<number[]>([pageAt(at)]);
  // Pages that scroll past quickly are not requested.
  if (!sight.isRacing && total.current !== undefined) pages.current = pagesOf(sight);
  if (!isSame && first.data !== undefined) {
    setShown(finding);
    total.current = first.data.total;
    pages.current = [pageAt(at)];
  }
  const results = useQueries({ queries: pages.current.map((page) => pageQuery(shown, page)) });
  const newest = results
    .filter(({ data }) => data !== undefined)
    .toSorted((a, b) => b.dataUpdatedAt - a.dataUpdatedAt)[0];
  if (newest?.data && isSame) total.current = newest.data.total;

  const failed = isSame ? results.find(({ error, data }) => error !== null && data === undefined) : first;
  const byPage = new Map(pages.current.map((page, nth) => [page, results[nth]?.data]));
  return {
    shown,
    total: total.current ?? 0,
    isPending: total.current === undefined,
    isWaiting: !isSame,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    link: (row) => byPage.get(pageAt(row))?.links[row % PAGE],
    known: () => results.flatMap(({ data }) => data?.links ?? []),
  };
}

const pageAt = (row: number): number => Math.floor(row / PAGE);

const pagesOf = ({ first, end }: { first: number; end: number }): number[] => {
  const from = pageAt(first);
  return Array.from({ length: pageAt(Math.max(first, end - 1)) - from + 1 }, (_, nth) => from + nth);
};
