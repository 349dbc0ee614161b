import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Link } from "../base/api.ts";
import { createCountLead } from "../ui/lists/count-lead.ts";
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
  const leads = useRef(new Map<string, Lead>());
  const links = useRef(new Map<string, T>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isGone = useRef(false);
  const [, setTurn] = useState(0);
  const known = new Map(shown.map((link) => [keyOf(link), link]));

  /** What the server says after a pause is right: the stream may have named too many clicks, or too few. */
  async function askAgain(): Promise<void> {
    const settled = Date.now() - COUNTED_MS;
    await queries.invalidateQueries({ queryKey: [list, "list"] });
    timer.current = undefined;
    for (const [key, { lastAt }] of leads.current) if (lastAt <= settled) leads.current.delete(key);
    if (isGone.current) return;
    setTurn((turn) => turn + 1);
    if (leads.current.size > 0) askLater();
  }
  const askLater = () => (timer.current ??= setTimeout(() => void askAgain(), COUNTED_MS));

  useSeconds(live, ({ latest }) => {
    let isNew = false;
    for (const click of latest) {
      const key = keyOf(click);
      const link = known.get(key);
      if (link === undefined) continue;
      const lead = leads.current.get(key) ?? leadOf(link);
      lead.all.arrived();
      if (!click.automated) lead.human.arrived();
      leads.current.set(key, { ...lead, lastAt: Date.now() });
      isNew = true;
    }
    if (!isNew) return;
    setTurn((turn) => turn + 1);
    if (!isOrdered) askLater();
  });
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      clearTimeout(timer.current);
    };
  }, []);

  /** The same object while nothing changes. */
  return (link: T): T => {
    const key = keyOf(link);
    const lead = leads.current.get(key);
    if (lead === undefined) return link;
    const counts = {
      click_count: lead.all.shown(link.click_count),
      human_clicks: lead.human.shown(link.human_clicks),
    };
    const before = links.current.get(key);
    const now = { ...link, ...counts };
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(now)) return before;
    links.current.set(key, now);
    return now;
  };
}

type Lead = Record<"all" | "human", ReturnType<typeof createCountLead>> & {
  /** When the stream last named a click. */
  lastAt: number;
};

const leadOf = ({ click_count: all, human_clicks: human }: Counts): Lead => ({
  all: createCountLead(all),
  human: createCountLead(human),
  lastAt: 0,
});
