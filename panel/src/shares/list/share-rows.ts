/** The rows of the list of shares. Rows of the previous search stay until the first of the new one arrive. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Share } from "../../base/api.ts";
import { type RowsInSight, useRowsInSight } from "../../ui/long/rows-in-sight.tsx";
import { SHARES_A_PAGE, sharesQuery } from "../share-queries.ts";
import type { ShareSearch } from "../share-search.ts";
import { isByClicks, useLiveCounts } from "../../auth/live-counts.ts";

const ROW = 61;

type ShareRows = {
  /** Undefined while it is unknown. */
  total: number | undefined;
  error: Error | null;
  retry(): void;
  rows: RowsInSight;
  /** Undefined while its page is loading. */
  share(row: number): Share | undefined;
};

const pageOf = (row: number): number => Math.floor(row / SHARES_A_PAGE);

export function useShareRows(search: ShareSearch): ShareRows {
  const [shown, setShown] = useState(search);
  const first = useQuery(sharesQuery(search, 0));
  const old = useQuery({ ...sharesQuery(shown, 0), enabled: false });
  const isShown = JSON.stringify(shown) === JSON.stringify(search);
  if (!isShown && first.data !== undefined) setShown(search);
  const total = (first.data ?? old.data)?.total;
  const rows = useRowsInSight({ count: total ?? 0, rowHeight: ROW, keyOf: (row) => row });
  const pages = [...new Set(rows.items.map(({ index }) => pageOf(index)))];
  const results = useQueries({ queries: pages.map((page) => sharesQuery(shown, page)) });
  const byPage = new Map(pages.map((page, nth) => [page, results[nth]?.data]));
  const failed = [first, ...results].find(({ error }) => error !== null);
  const known = [...byPage.values()].flatMap((page) => page?.shares ?? []);
  const counted = useLiveCounts("shares", known, isByClicks(shown.sort));
  return {
    total,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    rows,
    share(row) {
      const share = byPage.get(pageOf(row))?.shares[row % SHARES_A_PAGE];
      return share && counted(share);
    },
  };
}
