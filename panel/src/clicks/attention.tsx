import { Plural } from "@lingui/react/macro";
import { Group } from "@mantine/core";
import { IconClock, IconHourglass, IconInbox, IconUnlink, type TablerIcon } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, responseOf } from "../base/api.ts";
import { serverNow } from "../base/server-clock.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import classes from "./clicks.module.css";

const SOON_MS = 7 * 86_400_000;
const MOST_SOON = 100;
const MOST_BOXES = 100;
const SEEN = "waymark-seen-arrivals";

type LinkQuery = { only_dead?: true; held?: "waiting" };

const countOf = async (query: LinkQuery, signal: AbortSignal): Promise<number> => {
  const params = { query: { ...query, domain: "*", page_size: 1 } };
  return (await responseOf(api.GET("/admin/v1/links", { params, signal }))).pagination?.total ?? 0;
};

async function countOfSoonOver(signal: AbortSignal): Promise<number> {
  const query = {
    domain: "*",
    only_active: true,
    sort: "expires_at",
    order: "asc",
    total: false,
  } as const;
  const params = { query: { ...query, page_size: MOST_SOON } };
  const { data } = await responseOf(api.GET("/admin/v1/links", { params, signal }));
  return data.filter(({ expires_at: at }) => at !== null && Date.parse(at) - serverNow() < SOON_MS).length;
}

/** Files that drop boxes have taken since this browser last led to them, and how many they have. */
async function arrivalsIn(signal: AbortSignal): Promise<{ files: number; taken: Record<string, number> }> {
  const params = { query: { kind: "drop", page_size: MOST_BOXES } as const };
  const { data } = await responseOf(api.GET("/shares", { params, signal }));
  const taken = Object.fromEntries(data.map(({ code, drop }) => [code, drop?.files ?? 0]));
  const seen = JSON.parse(localStorage.getItem(SEEN) ?? "{}") as Record<string, number>;
  const fresh = Object.entries(taken).map(([code, files]) => Math.max(0, files - (seen[code] ?? 0)));
  return { files: fresh.reduce((sum, files) => sum + files, 0), taken };
}

const attentionQuery = (isAdmin: boolean) =>
  queryOptions({
    queryKey: ["links", "attention", isAdmin],
    async queryFn({ signal }) {
      const [dead, soon, waiting, arrivals] = await Promise.all([
        countOf({ only_dead: true }, signal),
        countOfSoonOver(signal),
        isAdmin ? countOf({ held: "waiting" }, signal) : 0,
        arrivalsIn(signal),
      ]);
      return { dead, soon, waiting, arrivals };
    },
  });

/** What needs a person, each with the list of it. Nothing while nothing does. */
export function Attention({ isAdmin }: { isAdmin: boolean }) {
  const { data } = useQuery(attentionQuery(isAdmin));
  if (data === undefined) return null;
  const { dead, soon, waiting, arrivals } = data;
  if (dead + soon + waiting + arrivals.files === 0) return null;
  return (
    <Group gap="xs" component="ul" className={classes["shares"]!}>
      {arrivals.files > 0 && (
        <li>
          <AnchorLink
            to="/shares"
            search={{ kind: "drop" }}
            onClick={() => localStorage.setItem(SEEN, JSON.stringify(arrivals.taken))}
            {...LOOK}
          >
            <Need icon={IconInbox}>
              <Plural
                value={arrivals.files}
                one="# new file in a drop box"
                other="# new files in drop boxes"
              />
            </Need>
          </AnchorLink>
        </li>
      )}
      {dead > 0 && (
        <li>
          <AnchorLink to="/links" search={{ safety: "dead" }} {...LOOK}>
            <Need icon={IconUnlink}>
              <Plural
                value={dead}
                one="# link leads to a target that does not answer"
                other="# links lead to targets that do not answer"
              />
            </Need>
          </AnchorLink>
        </li>
      )}
      {waiting > 0 && (
        <li>
          <AnchorLink to="/links" search={{ safety: "waiting" }} {...LOOK}>
            <Need icon={IconHourglass}>
              <Plural value={waiting} one="# link waits for approval" other="# links wait for approval" />
            </Need>
          </AnchorLink>
        </li>
      )}
      {soon > 0 && (
        <li>
          <AnchorLink to="/links" search={{ state: "active", sort: "expires_at", order: "asc" }} {...LOOK}>
            <Need icon={IconClock}>
              <Plural value={soon} one="# link expires within a week" other="# links expire within a week" />
            </Need>
          </AnchorLink>
        </li>
      )}
    </Group>
  );
}

const LOOK = { size: "sm", underline: "never", c: "inherit" } as const;

const Need = ({ icon: Icon, children }: { icon: TablerIcon; children: ReactNode }) => (
  <span className={classes["need"]}>
    <Icon size={16} stroke={1.5} color="var(--amber)" aria-hidden />
    <span>{children}</span>
  </span>
);
