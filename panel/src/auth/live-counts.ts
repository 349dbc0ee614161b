import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Link } from "../base/api.ts";
import { useLive, useSeconds } from "../base/live.ts";
import { accountQuery } from "./account.ts";

/** From a click until the database has counted it; also the shortest time between two requests. */
const COUNTED_MS = 6_000;

type Counts = Pick<Link, "click_count" | "human_clicks">;
type Place = Pick<Link, "code" | "domain">;

/** Whether rows change places with clicks. */
export const isByClicks = (sort: string | undefined): boolean =>
  sort === "human_clicks" || sort === "click_count";

/** No code has a blank. */
const keyOf = ({ code, domain }: Place): string => `${domain ?? ""} ${code}`;

/**
 * The counts of the rows in sight as clicks arrive, for those who may watch them: by the stream, and from the server
 * once some seconds passed, because the stream names only the newest of many clicks. `isOrdered` by these counts: rows
 * must not change places under the pointer, so nothing is asked again.
 *
 * @param list `links` or `shares`
 */
export function useLiveCounts<T extends Place & Counts>(
  list: string,
  shown: readonly T[],
  isOrdered: boolean,
) {
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(accountQuery);
  const live = useLive(account.role === "admin");
  const counts = useRef(new Map<string, Counts>());
  const links = useRef(new Map<string, T>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [, setTurn] = useState(0);
  const known = new Map(shown.map((link) => [keyOf(link), link]));

  useSeconds(live, ({ latest }) => {
    let isNew = false;
    for (const click of latest) {
      const key = keyOf(click);
      const link = known.get(key);
      if (link === undefined) continue;
      const { click_count: all, human_clicks: human } = countsOf(link);
      counts.current.set(key, { click_count: all + 1, human_clicks: human + (click.automated ? 0 : 1) });
      links.current.delete(key);
      isNew = true;
    }
    if (!isNew) return;
    setTurn((turn) => turn + 1);
    if (isOrdered) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: [list, "list"] });
    }, COUNTED_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  /** Clicks that the database has not counted yet are in what was shown last: counts never fall. */
  function countsOf(link: T): Counts {
    const last = counts.current.get(keyOf(link));
    return {
      click_count: Math.max(link.click_count, last?.click_count ?? 0),
      human_clicks: Math.max(link.human_clicks, last?.human_clicks ?? 0),
    };
  }

  /** The same object while nothing changes. */
  return (link: T): T => {
    const key = keyOf(link);
    if (!counts.current.has(key)) return link;
    const before = links.current.get(key);
    const now = { ...link, ...countsOf(link) };
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(now)) return before;
    links.current.set(key, now);
    return now;
  };
}
